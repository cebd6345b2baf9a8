import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTEXT_MERGE_LOCK } from '../../../db/advisory-locks.ts';
import { inTransaction } from '../../../db/connection/connection.ts';
import { rebuildContext } from '../../../store/rebuild/rebuild-context.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import { nowInSeconds, rebuild, segmentsOf, verify } from './verify-support.ts';

const GROUP = guidOf(1);

const line = (key: string, ts: number, value: number): Line => ({
  group: GROUP,
  key,
  ts,
  values: { 0: value, 1: value + 1 },
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1, { meters: [meter(0, 2), meter(1, 5)] })],
    lines: [line('a', T0, 5), line('b', T0 + 60, 7), line('a', T0 + DAY, 2 ** 40)],
  });
});

afterAll(() => lab.close());

const ask = () =>
  lab.topper({ counter_group: GROUP, window_fromts: T0, window_tots: T0 + 2 * DAY });

const numbers = async () => {
  const [row] = await lab.sql<{ version: string; layout: string }>(
    'select version, layout from context_versions',
  );
  return { version: Number(row?.version), layout: Number(row?.layout) };
};

describe('rebuild', () => {
  it('rewrites each segment, and changes no answer', async () => {
    const before = {
      answer: await ask(),
      numbers: await numbers(),
      segments: await segmentsOf(lab),
    };
    expect(before.answer.keys).toHaveLength(2);
    const report = await rebuild(lab);
    expect(report).toMatchObject({
      context: CONTEXT,
      segments: 2,
      samples: 3,
      leftOver: 0,
      coverage: 0,
      damaged: [],
    });
    const { version, layout } = await numbers();
    expect(version).toBe(before.numbers.version);
    expect(layout).toBe(before.numbers.layout + 2);
    const after = await segmentsOf(lab);
    const old = before.segments.map(({ segmentId }) => segmentId);
    expect(after.map(({ rowCount }) => rowCount)).toEqual(
      before.segments.map(({ rowCount }) => rowCount),
    );
    for (const { segmentId } of after) expect(old).not.toContain(segmentId);
    lab.emptyCaches();
    expect(await ask()).toEqual(before.answer);
    expect(await verify(lab)).toMatchObject({ differences: [] });
  });

  it('gives segments the meters that were declared after them', async () => {
    await lab.apply({
      context: CONTEXT,
      groups: [group(1, { meters: [meter(0, 2), meter(1, 5), meter(7, 11)] })],
    });
    expect((await verify(lab)).differences).toEqual([]);
    await rebuild(lab);
    for (const segment of await segmentsOf(lab)) expect(segment.directory().slots).toBe(3);
    expect((await verify(lab)).differences).toEqual([]);
  });

  it('waits for another process that merges the context, and says so', async () => {
    let waited = 0;
    await lab.write(async (connection) => {
      let rebuilding: Promise<unknown> = Promise.resolve();
      await inTransaction(connection, async () => {
        await connection.query('select pg_advisory_xact_lock($1, 1)', [CONTEXT_MERGE_LOCK]);
        await new Promise<void>((resolve) => {
          rebuilding = rebuildContext({
            databaseUrl: lab.databaseUrl,
            context: CONTEXT,
            now: nowInSeconds,
            onWaiting() {
              waited += 1;
              resolve();
            },
          });
        });
      });
      expect(await rebuilding).toMatchObject({ segments: 2 });
    });
    expect(waited).toBe(1);
  });

  it('takes a roll-up of segments that are gone out of use', async () => {
    await lab.sql(
      `insert into segments (segment_id, context_id, group_id, probe_id, slice_id, level, born,
         first_bucket, last_bucket, key_count, row_count, page_count, size_bytes, directory,
         imported_at, sources)
       select nextval('segment_ids'), context_id, group_id, probe_id, 0, 3, born, first_bucket,
         last_bucket, key_count, row_count, page_count, size_bytes, directory, imported_at,
         array[segment_id, 999]
       from segments where died is null limit 1`,
    );
    expect((await verify(lab)).differences).toHaveLength(1);
    expect(await rebuild(lab)).toMatchObject({ leftOver: 1, damaged: [] });
    expect((await verify(lab)).differences).toEqual([]);
  });

  it('reports an unknown context, and lists the existing ones', async () => {
    const target = { databaseUrl: lab.databaseUrl, context: 'nowhere', now: nowInSeconds };
    await expect(rebuildContext(target)).rejects.toThrow(
      'There is no context nowhere (the contexts are lab)',
    );
  });

  it('stops when it is aborted, and leaves the remaining segments as they are', async () => {
    const controller = new AbortController();
    const before = await segmentsOf(lab);
    const rebuilding = rebuildContext({
      databaseUrl: lab.databaseUrl,
      context: CONTEXT,
      signal: controller.signal,
      now: nowInSeconds,
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(rebuilding).rejects.toThrow('enough');
    const after = (await segmentsOf(lab)).map(({ segmentId }) => segmentId);
    expect(after).toHaveLength(2);
    expect(before.filter(({ segmentId }) => after.includes(segmentId))).toHaveLength(1);
    expect((await verify(lab)).differences).toEqual([]);
  });
});
