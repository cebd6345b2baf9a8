import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ImportFormat } from '../../domain/import-formats.ts';
import type { ImportSource } from '../../ingest/files/import-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';
import {
  CONN_HEADER,
  conn,
  connLog,
  declareSamples,
  importText,
  NOW,
  samples,
  sums,
  traces,
} from './import-support.ts';
import { textSource } from './text-source.ts';

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

/** Lines of 1100 bytes each, of which the last are new. */
const FILES = {
  zeek: {
    format: 'zeek',
    known: [CONN_HEADER, conn(NOW)],
    fresh: [conn(NOW + 1), '#close\tnow'],
  },
  nfdump: {
    format: 'nfdump',
    known: ['ts,td,sa,da,sp,dp,pr,ipkt,ibyt', nfdumpRow(0)],
    fresh: [nfdumpRow(1)],
  },
  goflow2: { format: 'goflow2', known: [goflow2Line(0)], fresh: [goflow2Line(1)] },
  pmacct: { format: 'pmacct', known: [pmacctLine(0)], fresh: [pmacctLine(1)] },
} satisfies Record<string, { format: ImportFormat; known: string[]; fresh: string[] }>;

function nfdumpRow(second: number): string {
  return `2023-11-16 02:00:0${second},0.000,10.0.0.1,198.51.100.1,5000,443,TCP,3,1100`;
}

function goflow2Line(second: number): string {
  const ns = `${NOW + second}000000000`;
  return (
    `{"type":"NETFLOW_V9","time_received_ns":${ns},"time_flow_start_ns":${ns},` +
    `"time_flow_end_ns":${ns},"bytes":1100,"packets":3,"src_addr":"10.0.0.1",` +
    '"dst_addr":"198.51.100.1","etype":"IPv4","proto":"TCP","src_port":5000,"dst_port":443}'
  );
}

function pmacctLine(second: number): string {
  return JSON.stringify({
    ip_src: '10.0.0.1',
    ip_dst: '198.51.100.1',
    port_src: 5000,
    port_dst: 443,
    ip_proto: 'tcp',
    stamp_inserted: NOW + second,
    packets: 3,
    bytes: 1100,
  });
}

const total = async (): Promise<string | undefined> =>
  (await sums(databaseUrl))['Aggregates TOTALBW 1'];

type Name = keyof typeof FILES;

function grownFile(name: Name) {
  const { format, known, fresh } = FILES[name];
  return { format, fresh, known: lines(...known), whole: lines(...known, ...fresh) };
}

describe('a file that has grown, of a format of flows,', () => {
  it.each<[Name, string, (content: string) => ImportSource]>([
    ['zeek', 'a pipe', (content) => textSource(content, { isRepeatable: false, blockBytes: 100 })],
    ['nfdump', 'a compressed file', (content) => textSource(gzipSync(content))],
    ['goflow2', 'a file', textSource],
    ['pmacct', 'a pipe', (content) => textSource(content, { isRepeatable: false })],
  ])('is refused, with the import that knows its beginning: %s, %s', async (name, _, sourceOf) => {
    const { format, known, whole } = grownFile(name);
    const source = sourceOf(whole);
    await importText(known, { databaseUrl, format });
    const before = await traces(databaseUrl);
    await expect(importText(source, { databaseUrl, format })).rejects.toThrow(
      /^test\.log: its beginning is in context lab already, imported at \S+Z from test\.log; .* --grown/,
    );
    expect(await traces(databaseUrl)).toEqual(before);
    await importText(source, { databaseUrl, format, again: true });
    expect(await total()).toBe('3300');
  });

  it.each<[Name, string, { blockBytes?: number; isRepeatable?: boolean }]>([
    ['zeek', 'a file', {}],
    ['nfdump', 'a file in small blocks', { blockBytes: 7 }],
    ['goflow2', 'a pipe', { isRepeatable: false }],
    ['pmacct', 'a file in small blocks', { blockBytes: 7 }],
    ['zeek', 'a pipe in small blocks', { blockBytes: 7, isRepeatable: false }],
  ])('counts only what is new, if asked to: %s, %s', async (name, _, options) => {
    const { format, known, whole, fresh } = grownFile(name);
    const grown = (content: string) =>
      importText(textSource(content, options), { databaseUrl, format, grown: true });
    expect(await grown(known)).toMatchObject({ records: 1, knownLines: 0 });
    expect(await total()).toBe('1100');
    expect(await grown(whole)).toMatchObject({
      records: 1,
      lines: fresh.length,
      knownLines: FILES[name].known.length,
    });
    expect(await total()).toBe('2200');
    const before = await traces(databaseUrl);
    for (const content of [known, whole]) {
      await expect(grown(content)).rejects.toThrow(
        'test.log: nothing new: its lines are in context lab already, imported at ',
      );
    }
    expect(await traces(databaseUrl)).toEqual(before);
    await grown(`${whole}${lines(...fresh)}`);
    expect(await total()).toBe('3300');
  });

  it.each<Name>(['zeek', 'goflow2'])(
    'leaves its last line for the next time while it is incomplete: %s',
    async (name) => {
      const { format, known, fresh } = grownFile(name);
      const grown = (content: string) => importText(content, { databaseUrl, format, grown: true });
      await grown(known);
      const [line = ''] = fresh;
      await expect(grown(`${known}${line.slice(0, -3)}`)).rejects.toThrow('nothing new');
      await grown(`${known}${line}\n${line.slice(0, -3)}`);
      expect(await total()).toBe('2200');
      await grown(`${known}${line}\n${line}\n`);
      expect(await total()).toBe('3300');
    },
  );

  it.each<Name>(['nfdump', 'pmacct'])(
    'does not lose a line of which only the beginning was there: %s',
    async (name) => {
      const { format, known, whole, fresh } = grownFile(name);
      const options = { databaseUrl, format, skipBadLines: true };
      const [line = ''] = fresh;
      await importText(`${known}${line.slice(0, 20)}`, options);
      const report = await importText(whole, { ...options, grown: true });
      expect(report).toMatchObject({ badLines: { count: 0 }, cutLine: undefined });
      expect(await total()).toBe('2200');
    },
  );

  it.each<Name>(['nfdump', 'goflow2'])(
    'does not count a last line again that had no line break: %s',
    async (name) => {
      const { format, known, whole } = grownFile(name);
      await importText(known.slice(0, -1), { databaseUrl, format });
      await importText(whole, { databaseUrl, format, grown: true });
      expect(await total()).toBe('2200');
    },
  );
});

describe('a file that has grown', () => {
  it('takes samples that are new', async () => {
    await declareSamples(databaseUrl);
    const options = { databaseUrl, format: 'samples' } as const;
    const known = samples({ values: { 0: 5 } });
    await importText(known, options);
    const whole = `${known}${samples({ key: 'b', values: { 0: 7 } })}`;
    await expect(importText(whole, options)).rejects.toThrow('its beginning is in context lab');
    const report = await importText(whole, { ...options, grown: true });
    expect(report).toMatchObject({ records: 1, lines: 1, knownLines: 1 });
    expect(await sums(databaseUrl)).toEqual({ 'Counters a 1': '5', 'Counters b 1': '7' });
  });

  it('says which line was imported before all of it was written', async () => {
    const known = connLog(conn(NOW)).slice(0, -2);
    await importText(known, { databaseUrl });
    const report = await importText(connLog(conn(NOW), conn(NOW + 1)), {
      databaseUrl,
      grown: true,
    });
    expect(report).toMatchObject({ cutLine: 2, records: 1, lines: 1, knownLines: 2 });
    expect(await total()).toBe('1300');
  });

  it('is compared with all imports of its context, and the longest counts', async () => {
    const stages = [0, 1, 2, 3].map((n) =>
      connLog(...Array.from({ length: n + 1 }, (_, i) => conn(NOW + i))),
    );
    await importText(stages[0] ?? '', { databaseUrl });
    await importText(stages[2] ?? '', { databaseUrl, again: true });
    await importText(stages[1] ?? '', { databaseUrl, again: true });
    await importText(stages[0] ?? '', { databaseUrl, context: 'other' });
    const options = { databaseUrl, grown: true };
    expect(await importText(stages[3] ?? '', options)).toMatchObject({ records: 1 });
    const other = await importText(stages[3] ?? '', { ...options, context: 'other' });
    expect(other).toMatchObject({ records: 3 });
  });

  it('is not compared with imports of before 1.7, or that counted nothing', async () => {
    await importText(connLog(), { databaseUrl });
    await importText(connLog(conn(NOW)), { databaseUrl });
    await rowsOf(databaseUrl, 'update imports set length = null, head = null');
    const report = await importText(connLog(conn(NOW), conn(NOW + 1)), { databaseUrl });
    expect(report).toMatchObject({ records: 2, knownLines: undefined });
    await expect(importText(connLog(conn(NOW)), { databaseUrl, grown: true })).rejects.toThrow(
      'nothing new',
    );
  });

  it('is taken up to where it ended when it was looked at', async () => {
    let content = connLog(conn(NOW));
    const source = {
      ...textSource(content),
      open() {
        const opened = textSource(content).open();
        content += `${conn(NOW + 1)}\n`;
        return opened;
      },
    };
    const options = { databaseUrl, grown: true };
    expect(await importText(source, options)).toMatchObject({ records: 1 });
    expect(await importText(source, options)).toMatchObject({ records: 2 });
    expect(await total()).toBe('3300');
  });

  it('names bad lines by their place in the file, and those that were known no more', async () => {
    const known = connLog(conn(NOW), 'bad');
    const options = { databaseUrl, skipBadLines: true };
    await importText(known, options);
    const report = await importText(`${known}${lines('worse', conn(NOW + 1))}`, {
      ...options,
      grown: true,
    });
    expect(report.badLines).toEqual({
      count: 1,
      named: [{ line: 4, reason: 'it must have 8 fields, got 1' }],
    });
    const next = await importText(`${known}${lines('worse', conn(NOW + 1), '#close\tx')}`, {
      ...options,
      grown: true,
    });
    expect(next).toMatchObject({ records: 0, lines: 1, badLines: { count: 0 } });
  });
});

describe('the command import --grown', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    vi.stubEnv('DATABASE_URL', databaseUrl);
    folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
    path = join(folder, 'live.log');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  const run = (...options: string[]) =>
    runOnDatabase(['import', '--context', 'lab', '--format', 'zeek', ...options, path]);

  it('says what it took, or that there is nothing new', async () => {
    await writeFile(path, connLog(conn(NOW)));
    expect((await run('--grown')).out[0]).toMatch(/live\.log: 1 flow from 2 lines, /);
    await writeFile(path, connLog(conn(NOW), conn(NOW + 1)));
    expect(await run()).toMatchObject({ status: 1 });
    expect((await run('--if-new')).out).toEqual([
      expect.stringMatching(/live\.log: its beginning is in context lab .* since: skipped$/),
    ]);
    expect((await run('--grown')).out[0]).toMatch(/live\.log: 1 flow from 1 new line, /);
    expect(await run('--grown')).toMatchObject({
      status: 0,
      out: [expect.stringMatching(/live\.log: nothing new: its lines are in context lab already/)],
    });
    const { out } = await run('--grown', '--json');
    const report = { source: path, context: 'lab', nothingNew: true };
    expect(JSON.parse(out[0] ?? '')).toEqual(report);
  });

  it.each([
    ['--again', /--again and --grown contradict each other: give one of them/],
    ['--if-new', /--if-new and --grown contradict each other: give one of them/],
    ['--follow', /--grown is for files/],
  ])('does not go with %s', async (option, reason) => {
    await writeFile(path, connLog(conn(NOW)));
    expect(await run('--grown', option)).toMatchObject({
      status: 2,
      err: [expect.stringMatching(reason)],
    });
  });
});
