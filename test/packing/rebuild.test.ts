import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuildContext } from '../../packing/rebuild-context.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
import type { ShardBlock } from '../../topk/packed-run.ts';
import { unpackRun } from '../../topk/unpack-run.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../support/lab.ts';
import { GROUPS, samples } from '../support/random-samples.ts';
import { CONTEXT, type Line, type TestService } from '../support/service.ts';

/** Meter types, which are the slots too. */
const COUNTERS = [1, 2, 3, 4, 10];

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: GROUPS });
});

afterAll(() => lab.close());

const rebuild = () => rebuildContext({ databaseUrl: lab.databaseUrl, context: CONTEXT });

type Stored = {
  place: string;
  level: number;
  start: number;
  ends: number[];
  data: Buffer;
};

/** Every block and series that is stored and what is in it, however it is split into rows. */
async function derived(): Promise<string[]> {
  const runs = await lab.sql<Stored>(`
    select concat_ws(' ', 'block', group_id, shard, probe_id, slice_id, level) as place, level,
      start::float8 as start, ends, data from topper_blocks
    union all
    select concat_ws(' ', 'series', group_id, shard, probe_id, slice_id, level), 1, start, ends, data
    from key_series`);
  const blocks = runs.flatMap(({ place, level, start, ends, data }) =>
    unpackRun({ start, ends, data }, level, ends.length - 1).flatMap((block) =>
      contentOf(block).map((content) => `${place} ${content}`),
    ),
  );
  const rows = await lab.sql<{ row: string }>(`
    select 'coarse ' || c::text as row from coarse_blocks c
    union all select 'coverage ' || c::text from coverage c
    union all select 'slice ' || s::text from slices s`);
  return [...blocks, ...rows.map(({ row }) => row)].sort();
}

/** A counter that is 0 is as if it were not there (decision 24). */
function contentOf({ start, ids, columns }: ShardBlock): string[] {
  return [...ids].flatMap((id, row) =>
    columns.flatMap((column, slot) => {
      if (!column || Number.isNaN(column.values.low[row])) return [];
      const value = laneValue(column.values, row);
      const isNothing = value === 0n && COUNTERS.includes(slot + 1);
      const count = column.counts ? laneValue(column.counts, row) : 1n;
      return isNothing ? [] : [`${start} ${id} ${slot}: ${value} ${count}`];
    }),
  );
}

/** What one has and the other has not: a list of thousands would say nothing. */
async function changesSince(before: readonly string[]): Promise<string[]> {
  const after = await derived();
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...before.filter((each) => !now.has(each)).map((each) => `- ${each}`),
    ...after.filter((each) => !old.has(each)).map((each) => `+ ${each}`),
  ].slice(0, 5);
}

describe('rebuild', () => {
  it('makes what imports make, also of slices that were never packed', async () => {
    await fc.assert(
      fc.asyncProperty(samples, async (lines) => {
        await lab.importSamples(lines);
        const before = await derived();
        await lab.sql('delete from topper_blocks; ');
        await lab.sql('delete from key_series');
        await lab.sql('delete from coarse_blocks');
        await lab.sql('delete from coverage where probe_id > 0');
        await lab.sql('update slices set packed = false where slice_id % 2 = 0');
        const { slices, rows } = await rebuild();
        expect(slices).toBeGreaterThan(0);
        expect(rows).toBeGreaterThan(0);
        expect(await changesSince(before)).toEqual([]);
      }),
      { numRuns: 8 },
    );
  });

  it('removes what is of no slice, and blocks without samples', async () => {
    await rebuild();
    const before = await derived();
    await lab.sql(`insert into topper_blocks
      select group_id, level, start, shard, probe_id, 99999, last, ends, data from topper_blocks`);
    await lab.sql(`insert into coverage select slice_id, group_id, 77, first_bucket, last_bucket
      from coverage where probe_id = 0`);
    await lab.sql(`insert into topper_blocks
      select group_id, level, start, shard, 77, slice_id, last, ends, data
      from topper_blocks where slice_id < 99999 and probe_id = 0`);
    await lab.sql(`insert into coarse_blocks
      select group_id, level, start + 10000 * level, probe_id, slice_ids from coarse_blocks`);
    await rebuild();
    expect(await changesSince(before)).toEqual([]);
  });

  it('leaves archived slices alone', async () => {
    await lab.sql('update slices set archived = true where starts_at = $1', [T0]);
    const of = `slice_id in (select slice_id from slices where archived)`;
    await lab.sql(`delete from key_series where ${of}`);
    await rebuild();
    expect(await lab.sql(`select from key_series where ${of}`)).toHaveLength(0);
    expect(await lab.sql(`select from topper_blocks where ${of} limit 1`)).toHaveLength(1);
    await lab.sql('update slices set archived = false');
    await rebuild();
  });

  it('says that there is no such context, and which there are', async () => {
    await expect(
      rebuildContext({ databaseUrl: lab.databaseUrl, context: 'nowhere' }),
    ).rejects.toThrow('There is no context nowhere (the contexts are lab)');
  });

  it('stops when it is told to, and what it has not begun stays as it is', async () => {
    const controller = new AbortController();
    const before = await derived();
    const rebuilding = rebuildContext({
      ...{ databaseUrl: lab.databaseUrl, context: CONTEXT, signal: controller.signal },
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(rebuilding).rejects.toThrow('enough');
    await rebuild();
    expect(await changesSince(before)).toEqual([]);
  });
});

describe('a running server', () => {
  it('answers the same from samples, and from the blocks that are made meanwhile', async () => {
    const GROUP = guidOf(1);
    const line = (key: string, ts: number, value: number): Line => ({
      ...{ group: GROUP, key, ts, values: { 0: value } },
    });
    const other = await startLab({
      groups: [group(1, { meters: [meter(0, 2), meter(1, 5)] })],
      lines: [line('a', T0, 5), line('b', T0 + 60, 7), line('a', T0 + DAY, 2 ** 40)],
    });
    try {
      const ask = () =>
        other.topper({ counter_group: GROUP, window_fromts: T0, window_tots: T0 + 2 * DAY });
      const before = await ask();
      expect(before.keys).toHaveLength(2);
      await other.sql('update slices set packed = false');
      await other.sql('delete from topper_blocks');
      await other.sql('delete from key_series');
      expect(await ask()).toEqual(before);
      await rebuildContext({ databaseUrl: other.databaseUrl, context: CONTEXT });
      const mark = other.watchStatements();
      expect(await ask()).toEqual(before);
      expect(mark().join('\n')).not.toContain('from samples');
    } finally {
      await other.close();
    }
  });
});
