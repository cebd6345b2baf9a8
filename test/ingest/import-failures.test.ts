import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { IngestError } from '../../ingest/ingest-error.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { conn, connLog, importText, NOTHING, NOW, sums, traces } from './import-support.ts';
import { textSource } from './text-source.ts';

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

describe('a failed import', () => {
  // Small batches, so that much is written before the line that fails.
  const failing = () =>
    importText(connLog(conn(NOW), conn(NOW - 90_000), 'nonsense'), {
      databaseUrl,
      batchRows: 5,
      probe: 'p1',
    });

  it('names the line and the reason, and leaves no trace', async () => {
    await expect(failing()).rejects.toThrow(
      new IngestError('test.log, line 4: it must have 8 fields, got 1'),
    );
    expect(await traces(databaseUrl)).toEqual(NOTHING);
  });

  it('stops at the first line of a log of another kind', async () => {
    const log = `#path\tdns\n${connLog(conn(NOW))}`;
    await expect(importText(log, { databaseUrl })).rejects.toThrow(
      'test.log, line 1: #path must be conn, got "dns"',
    );
    expect(await traces(databaseUrl)).toEqual(NOTHING);
  });

  it('leaves existing data alone', async () => {
    await importText(connLog(conn(NOW)), { databaseUrl });
    const before = { traces: await traces(databaseUrl), sums: await sums(databaseUrl) };
    await expect(failing()).rejects.toThrow();
    expect({ traces: await traces(databaseUrl), sums: await sums(databaseUrl) }).toEqual(before);
  });

  it('leaves no trace when its connection is lost', async () => {
    const log = connLog(conn(NOW), conn(NOW - 90_000));
    const source = {
      ...textSource(''),
      isRepeatable: false,
      open: () => Readable.from(thenKillImports(log)),
    };
    await expect(importText(source, { databaseUrl, batchRows: 5 })).rejects.toThrow();
    // The next import removes what the lost connection could not.
    await importText(connLog(conn(NOW)), { databaseUrl, context: 'next' });
    expect(await traces(databaseUrl)).toMatchObject({ contexts: 1, slices: 1, partitions: 1 });
  });

  async function* thenKillImports(log: string): AsyncGenerator<Buffer> {
    yield Buffer.from(log);
    yield Buffer.from('\n');
    await rowsOf(
      databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'countergraph import' and datname = current_database()`,
    );
    yield Buffer.from(`${conn(NOW - 180_000)}\n`);
  }

  it('leaves no trace when it is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('told to end');
    const source = {
      ...textSource(''),
      isRepeatable: false,
      open: () =>
        Readable.from([
          Buffer.from(connLog(conn(NOW), conn(NOW - 90_000))),
          Buffer.from(conn(NOW - 180_000)),
        ]),
    };
    const importing = importText(source, {
      databaseUrl,
      batchRows: 5,
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(importing).rejects.toBe(reason);
    expect(await traces(databaseUrl)).toEqual(NOTHING);
  });

  it('names a line that is too long, without keeping it in memory', async () => {
    const log = `${connLog(conn(NOW))}${'x'.repeat(LIMITS.importLineBytes + 1)}\n`;
    await expect(importText(log, { databaseUrl })).rejects.toThrow(
      `test.log, line 3: it must be at most ${LIMITS.importLineBytes} bytes long`,
    );
  });

  it('says that the file was changed while it was read', async () => {
    let content = connLog(conn(NOW));
    const source = {
      ...textSource(content),
      open: () => {
        const now = content;
        content = connLog(conn(NOW), conn(NOW));
        return Readable.from([Buffer.from(now)]);
      },
    };
    await expect(importText(source, { databaseUrl })).rejects.toThrow(
      'test.log: it was changed while it was read: import it again',
    );
    expect(await traces(databaseUrl)).toEqual(NOTHING);
  });
});

describe('bad lines that are skipped', () => {
  it('are counted and named, and the others are imported', async () => {
    const log = connLog('nonsense', conn(NOW), conn(631_000_000), conn(NOW));
    const report = await importText(log, { databaseUrl, skipBadLines: true });
    expect(report).toMatchObject({ lines: 5, records: 2 });
    expect(report.badLines).toEqual({
      count: 2,
      named: [
        { line: 2, reason: 'it must have 8 fields, got 1' },
        {
          line: 4,
          reason: expect.stringMatching(/^the start is before 1990: 1989-12-30T05:46:40Z: check/),
        },
      ],
    });
    expect((await sums(databaseUrl))['Aggregates TOTALBW 1']).toBe('2200');
  });

  it('are named up to a limit and counted beyond it', async () => {
    const log = connLog(conn(NOW), ...Array.from({ length: 250 }, () => 'nonsense'));
    const { badLines } = await importText(log, { databaseUrl, skipBadLines: true });
    expect([badLines.count, badLines.named.length]).toEqual([250, LIMITS.importNamedBadLines]);
  });

  it('are a failure if there are no others: it names them, and leaves no trace', async () => {
    const log = connLog('nonsense', 'more of it');
    const failure = await importText(log, { databaseUrl, skipBadLines: true }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(IngestError);
    expect(String(failure)).toBe(
      'NothingTaken: test.log: no line could be read as zeek, ' +
        'bad lines that were skipped: 2, the first at line 2 ' +
        '(it must have 8 fields, got 1): check that this is its format',
    );
    expect(failure).toMatchObject({ badLines: { count: 2, named: [{ line: 2 }, { line: 3 }] } });
    expect(await traces(databaseUrl)).toEqual(NOTHING);
  });
});
