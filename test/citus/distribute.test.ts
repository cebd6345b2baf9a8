import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inSnapshot, inTransaction, openConnection } from '../../db/connection/connection.ts';
import { lockContext } from '../../db/connection/lock-context.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import { distributePages, undistributePages } from '../../store/distribute/distribute-pages.ts';
import { compactContext } from '../../store/merge/compact-context.ts';
import { withClient } from '../support/database/database.ts';
import { digestOf } from '../support/database/database-digest.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { dumpSchema } from '../support/database/schema-dump.ts';
import { DAY, group, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { hasCluster, shardCount } from './cluster.ts';

const GROUP = group(1);

const linesOf = (day: number): Line[] =>
  Array.from({ length: 20 }, (_, n) => ({
    group: GROUP.guid,
    key: `key ${n}`,
    ts: T0 + day * DAY + 60 * n,
    values: { 0: n + 1 },
  }));

describe.skipIf(!hasCluster)('distributing the pages', () => {
  let lab: TestService;

  /** Three days, the first two of them merged, all on the coordinator. */
  beforeEach(async () => {
    lab = await startLab({ groups: [GROUP], lines: [...linesOf(0), ...linesOf(1)] });
    await undistributePages({ databaseUrl: lab.databaseUrl });
    await compact();
    await lab.importSamples(linesOf(2));
  });

  afterEach(() => lab.close());

  const target = () => ({ databaseUrl: lab.databaseUrl });

  const compact = () => compactContext({ ...target(), context: CONTEXT, now: () => T0 + 10 * DAY });

  const ask = () =>
    lab.topper({
      counter_group: GROUP.guid,
      meter: 0,
      window_fromts: T0,
      window_tots: T0 + 9 * DAY,
    });

  it('moves them to the workers, in two shards for each, and says so', async () => {
    const report = await distributePages(target());
    expect(report).toMatchObject({
      changed: true,
      tables: ['open_segment_pages', 'sealed_segment_pages'],
      shards: 4,
      workers: 2,
    });
    expect(report.bytes).toBeGreaterThan(10_000);
    expect(await shardCount(lab.databaseUrl)).toBe(4);
    const [row] = await rowsOf<{ bytes: string }>(
      lab.databaseUrl,
      `select sum(pg_relation_size(inhrelid)) as bytes from pg_inherits
       where inhparent in ('open_segment_pages'::regclass, 'sealed_segment_pages'::regclass)`,
    );
    expect(row?.bytes).toBe('0');
  });

  it('changes nothing the second time, and refuses another number of shards', async () => {
    await distributePages({ ...target(), shards: 2 });
    expect(await distributePages(target())).toMatchObject({ changed: false, shards: 2, bytes: 0 });
    expect(await distributePages({ ...target(), shards: 2 })).toMatchObject({ changed: false });
    await expect(distributePages({ ...target(), shards: 3 })).rejects.toThrow(
      'The pages are in 2 shards already, not in 3',
    );
  });

  it('is undone completely', async () => {
    const schema = () => withClient(lab.databaseUrl, dumpSchema);
    const before = await schema();
    const data = await digestOf(lab.databaseUrl);
    await distributePages(target());
    expect(await undistributePages(target())).toMatchObject({ changed: true, shards: 0 });
    expect(await schema()).toEqual(before);
    expect(await digestOf(lab.databaseUrl)).toEqual(data);
    expect(await undistributePages(target())).toMatchObject({ changed: false, shards: 0 });
  });

  it('reports its progress', async () => {
    const told: number[] = [];
    const { bytes } = await distributePages({
      ...target(),
      onProgress: (progress) => told.push(progress.bytes),
    });
    expect(told.length).toBeGreaterThan(1);
    expect(told.at(-1)).toBe(bytes);
  });

  it('waits for an import, says so, and does not block readers', async () => {
    const importer = await openConnection(lab.databaseUrl, 'test');
    const waitedFor: string[] = [];
    let distributing: Promise<unknown> = Promise.resolve();
    const expected = await ask();
    await inTransaction(importer, async () => {
      const { contextId } = await existingContext(importer, CONTEXT);
      await lockContext(importer, contextId, () => undefined);
      distributing = distributePages({
        ...target(),
        onWaiting: (context) => waitedFor.push(context),
      });
      while (waitedFor.length === 0) await new Promise((resolve) => setImmediate(resolve));
      lab.emptyCaches();
      expect(await ask()).toEqual(expected);
    });
    await distributing;
    expect(waitedFor).toEqual([CONTEXT]);
    lab.emptyCaches();
    expect(await ask()).toEqual(expected);
    await importer.end();
  });

  it('waits for an earlier reader of the local pages, while others go on', async () => {
    const expected = await ask();
    const reader = await openConnection(lab.databaseUrl, 'test');
    let readers = 0;
    let distributing: Promise<unknown> = Promise.resolve();
    await inSnapshot(reader, async () => {
      await reader.query('select from sealed_segment_pages');
      distributing = distributePages({
        ...target(),
        onReaders() {
          readers += 1;
        },
      });
      while (readers === 0) await new Promise((resolve) => setImmediate(resolve));
      for (let i = 0; i < 5; i += 1) {
        lab.emptyCaches();
        expect(await ask()).toEqual(expected);
      }
      expect(await shardCount(lab.databaseUrl)).toBe(0);
    });
    expect(await distributing).toMatchObject({ changed: true });
    expect(readers).toBe(1);
    lab.emptyCaches();
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    expect(answers).toEqual(answers.map(() => expected));
  });

  it('changes nothing if it is aborted', async () => {
    const stop = new AbortController();
    const cut = distributePages({
      ...target(),
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('cut off')),
    });
    await expect(cut).rejects.toThrow('cut off');
    expect(await shardCount(lab.databaseUrl)).toBe(0);
    expect((await ask()).keys).toHaveLength(20);
    await lab.importSamples(linesOf(3));
  });

  it('does not disturb a running server, imports or merges', async () => {
    const expected = await ask();
    await distributePages(target());
    lab.emptyCaches();
    expect(await ask()).toEqual(expected);
    await lab.importSamples(linesOf(4));
    await lab.mergeNow();
    await compact();
    await undistributePages(target());
    lab.emptyCaches();
    const after = await ask();
    expect(after.keys.map(({ metric }) => metric)).toEqual(
      expected.keys.map(({ metric }) => (Number(metric) * 4) / 3),
    );
  });

  it('fails for a user who does not own the tables', async () => {
    const role = `nobody_${Math.random().toString(36).slice(2)}`;
    await rowsOf(lab.databaseUrl, `create role ${role} login password 'x'`);
    await rowsOf(lab.databaseUrl, `grant all on all tables in schema public to ${role}`);
    const url = new URL(lab.databaseUrl);
    url.username = role;
    url.password = 'x';
    await expect(distributePages({ databaseUrl: url.href })).rejects.toThrow(/must be owner/);
    await rowsOf(lab.databaseUrl, `drop owned by ${role}`);
    await rowsOf(lab.databaseUrl, `drop role ${role}`);
  });
});
