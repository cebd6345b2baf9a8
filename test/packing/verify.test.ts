import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rebuildContext } from '../../packing/rebuild-context.ts';
import { verifyContext } from '../../packing/verify/verify-context.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../support/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/service.ts';

const line = (
  n: number,
  key: string,
  ts: number,
  values: Line['values'],
  probe?: string,
): Line => ({
  ...{ group: guidOf(n), key, ts, values, count: 2 },
  ...(probe !== undefined && { probe }),
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { meters: [meter(0, 2), meter(7, 5), meter(9, 11)] }),
      group(2, { bucket_size: 3600, topper_bucket_size: 7200, key_kind: 'country' }),
    ],
    lines: [
      ...Array.from({ length: 40 }, (_, i) =>
        line(1, `k${i % 7}`, T0 + i * 450, { 0: i + 1, 7: i - 20, 9: 2 ** 40 + i }),
      ),
      line(1, 'k1', T0 + 60, { 0: 3 }, 'p1'),
      line(1, 'k1', T0 + DAY + 7200, { 0: 5, 7: 2n ** 62n }),
      line(1, 'zero', T0 + 60, { 0: 0 }),
      line(2, 'DE', T0, { 0: 5 }),
      line(2, 'FR', T0 + 2 * DAY, { 0: 5 }),
    ],
  });
});

afterAll(() => lab.close());

const target = () => ({ databaseUrl: lab.databaseUrl, context: CONTEXT });

/** What is found, and that rebuilding repairs it. */
async function findAndRepair(): Promise<string[]> {
  const { differences, differenceCount } = await verifyContext(target());
  expect(differenceCount).toBeGreaterThan(0);
  await rebuildContext(target());
  expect(await verifyContext(target())).toMatchObject({ differences: [], differenceCount: 0 });
  return differences.map(({ text }) => text);
}

const G1 = `Group 1 ${guidOf(1)}`;
const G2 = `Group 2 ${guidOf(2)}`;
const SLICE = 'slice-20240715-0000';

const groupId = (n: number) => `(select group_id from counter_groups where name = 'Group ${n}')`;
const shardOf = (n: number, key: string) =>
  `(select shard from keys where group_id = ${groupId(n)} and key = '${key}')`;
const sliceId = (start = T0) => `(select slice_id from slices where starts_at = ${start})`;
const block = (level: number, start: number, slice = sliceId()) =>
  `group_id = ${groupId(1)} and level = ${level} and start = ${start} and probe_id = 0
   and shard = ${shardOf(1, 'k0')} and slice_id = ${slice}`;

describe('verify finds nothing', () => {
  it('where nothing is wrong, and says how much was compared', async () => {
    const report = await verifyContext(target());
    expect(report).toMatchObject({ context: CONTEXT, slices: 3, unpackedSlices: 0 });
    expect(report).toMatchObject({ differences: [], differenceCount: 0 });
    expect(report.readings).toBeGreaterThan(40 * 3 * 3);
    expect(await lab.sql('select from coarse_blocks')).not.toHaveLength(0);
  });

  it('in slices that are not packed, which samples answer for', async () => {
    await lab.sql(`update slices set packed = false`);
    await lab.sql(`delete from coarse_blocks`);
    await lab.sql(`delete from key_series`);
    expect(await verifyContext(target())).toMatchObject({
      ...{ slices: 0, unpackedSlices: 3, readings: 0, differenceCount: 0 },
    });
    await rebuildContext(target());
    expect(await verifyContext(target())).toMatchObject({ slices: 3, differenceCount: 0 });
  });

  it('where there is no such context, which is an error', async () => {
    await expect(verifyContext({ ...target(), context: 'x' })).rejects.toThrow(
      'There is no context x (the contexts are lab)',
    );
  });
});

describe('verify finds, names and rebuild repairs', () => {
  beforeEach(async () => {
    expect((await verifyContext(target())).differenceCount).toBe(0);
  });

  it('a number that was changed, with its key and meter', async () => {
    // The first block: of the hour, one key with the readings 1, −20 of two, 2^40.
    await lab.sql(`update samples set readings[1] = 1001
      where group_id = ${groupId(1)} and bucket = ${T0} and readings[1] = 1`);
    const found = await findAndRepair();
    const at = '2024-07-15T00:00:00Z, key k0, meter 0';
    for (const place of [`blocks of 60 s, ${SLICE}`, `series of 300 s, ${SLICE}`]) {
      expect(found).toContain(`${G1}, ${place}, ${at}: 1 is stored, the samples say 1001`);
    }
    expect(found).toContainEqual(
      expect.stringMatching(/blocks of 86400 s, 2024-07-15T00:00:00Z, key k0, meter 0: \d+ is st/),
    );
    expect(found).toContainEqual(
      expect.stringMatching(/series of 300 s, .*T00:00:00Z, the whole group, meter 0: 1 is stored/),
    );
  });

  it('the readings behind a mean', async () => {
    await lab.sql(`update samples set counts[2] = 3
      where group_id = ${groupId(1)} and bucket = ${T0} and readings[1] = 1001`);
    expect(await findAndRepair()).toContain(
      `${G1}, blocks of 60 s, ${SLICE}, 2024-07-15T00:00:00Z, key k0, meter 7: ` +
        '-20 (sum of 2 readings) is stored, the samples say -20 (sum of 3 readings)',
    );
  });

  it.each([0, 1, 3, 5, 9, 20])('byte %i of a block', async (at) => {
    const where = block(60, T0);
    const changed = await lab.sql(`update topper_blocks
      set data = set_byte(data, ${at} % length(data), get_byte(data, ${at} % length(data)) # 1)
      where ${where} returning 1`);
    expect(changed).toHaveLength(1);
    for (const text of await findAndRepair()) {
      expect(text).toMatch(`${G1}, blocks of 60 s, ${SLICE}, `);
    }
  });

  it.each([
    ['a missing row', `delete from topper_blocks where ${block(60, T0)}`, 'nothing is stored'],
    [
      'a row that is cut off',
      `update topper_blocks set data = substr(data, 1, length(data) - 2) where ${block(3600, T0)}`,
      'is damaged: its parts end elsewhere',
    ],
    [
      'an end of a part',
      `update topper_blocks set ends[1] = ends[1] + 1 where ${block(60, T0)}`,
      'is damaged',
    ],
    [
      'the end of the last part',
      `update topper_blocks set ends[4] = ends[4] - 1 where ${block(60, T0)}`,
      'is damaged: its parts end elsewhere',
    ],
    [
      'a row that says it ends elsewhere',
      `update topper_blocks set last = last + 60 where ${block(60, T0)}`,
      'its last block is not at',
    ],
    [
      'a row that is there twice',
      `insert into topper_blocks select group_id, level, start + 60, shard, probe_id, slice_id,
         last + 60, ends, data from topper_blocks where ${block(60, T0)}`,
      'is damaged: it repeats what another row has',
    ],
    [
      'a row of a probe that has none',
      `insert into topper_blocks select group_id, level, start, shard, 4711, slice_id,
         last, ends, data from topper_blocks where ${block(3600, T0)}`,
      'probe number 4711, 2024-07-15T00:00:00Z: readings are stored, the samples have none',
    ],
    [
      'a row of a slice that is gone',
      `insert into topper_blocks select group_id, level, start, shard, probe_id, 4711,
         last, ends, data from topper_blocks where ${block(3600, T0)}`,
      'a row is stored of a slice that is not there (slice 4711,',
    ],
    [
      'a row of another resolution',
      `insert into topper_blocks select group_id, 120, start, shard, probe_id, slice_id,
         last, ends, data from topper_blocks where ${block(3600, T0)}`,
      'blocks of 120 s, 2024-07-15T00:00:00Z: a row is stored where the slice has none',
    ],
    [
      'a row of series that is missing',
      `delete from key_series where group_id = ${groupId(1)} and shard = ${shardOf(1, 'k0')}`,
      `${G1}, series of 300 s, ${SLICE}, key k0: nothing is stored, the samples have`,
    ],
    [
      'the series of the whole group',
      `delete from key_series where group_id = ${groupId(1)} and start = -1`,
      `series of 300 s, ${SLICE}, the whole group: nothing is stored, the samples have`,
    ],
    [
      'a byte of a page of series',
      `update key_series set data = set_byte(data, length(data) - 1, 77)
       where group_id = ${groupId(2)}`,
      `${G2}, series of 7200 s`,
    ],
    [
      'a page of series of a key that is not there',
      `insert into key_series select group_id, level, 4000, shard, probe_id, slice_id, 4000, ends,
         data from key_series where group_id = ${groupId(2)} and slice_id = ${sliceId()}`,
      'key id 4000 of shard 0',
    ],
    [
      'a byte of a coarse block',
      `update topper_blocks set data = set_byte(data, length(data) - 1, 77)
       where ${block(DAY, T0, '0')}`,
      'blocks of 86400 s, 2024-07-15T00:00:00Z',
    ],
    [
      'a coarse block that is listed and not there',
      `delete from topper_blocks where ${block(DAY, T0, '0')}`,
      'blocks of 86400 s, 2024-07-15T00:00:00Z: nothing is stored, the samples have',
    ],
    [
      'a coarse block of other slices',
      `update coarse_blocks set slice_ids = slice_ids || 4711 where level = ${DAY}`,
      'it is listed as of the slices ',
    ],
    [
      'a coarse block of no length that there is',
      `update coarse_blocks set level = 100 where level = ${DAY} and group_id = ${groupId(1)}`,
      'a block is listed of a length or start that the group does not have',
    ],
    [
      'coverage that is wrong',
      `update coverage set last_bucket = last_bucket + 60 where slice_id = ${sliceId()}`,
      `${G2}, coverage, ${SLICE}: 2024-07-15T00:00:00Z to 2024-07-15T00:01:00Z is stored, ` +
        'the samples say 2024-07-15T00:00:00Z to 2024-07-15T00:00:00Z',
    ],
    [
      'coverage that is missing',
      `delete from coverage where slice_id = ${sliceId()} and probe_id > 0`,
      `${G1}, coverage, ${SLICE}, probe p1: nothing is stored, the samples say 2024-07-15T00:01:00Z`,
    ],
    [
      'coverage of nothing',
      `insert into coverage values (${sliceId()}, ${groupId(1)}, 4711, ${T0}, ${T0})`,
      `probe number 4711: 2024-07-15T00:00:00Z to 2024-07-15T00:00:00Z is stored, the samples say n`,
    ],
  ])('%s', async (_, change, text) => {
    const { length } = await lab.sql(`${change} returning 1`);
    expect(length).toBeGreaterThan(0);
    expect(await findAndRepair()).toContainEqual(expect.stringContaining(text));
  });

  it('samples that somebody has removed', async () => {
    await lab.sql(`delete from samples where group_id = ${groupId(1)} and probe_id > 0`);
    const found = await findAndRepair();
    expect(found).toContain(
      `${G1}, blocks of 60 s, ${SLICE}, probe p1, 2024-07-15T00:01:00Z: readings are stored, ` +
        'the samples have none',
    );
    expect(found).toContainEqual(expect.stringMatching(/coverage, .*probe p1: .* say nothing$/));
    expect(await lab.sql('select from coverage where probe_id > 0')).toHaveLength(0);
  });
});
