import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOnCluster } from '../../support/database/on-cluster.ts';
import type { SlicesBody } from '../../support/http/answers.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const HOURS = guidOf(2);

let lab: TestService;

const line = (ts: number, guid = GROUP, more: Partial<Line> = {}): Line => ({
  group: guid,
  key: 'k',
  ts,
  values: { 0: 1 },
  ...more,
});

/** Every field that a pool may declare. */
const DECLARED_POOL = {
  name: 'tape',
  status: 'offline',
  total_size: 9007199254740991,
  avail_size: 12,
  file_system: 'ext4',
  path: '/nowhere/tape',
  offline_archive: true,
  offline_archive_mounted: true,
  additional_info: 'shelf 3',
};

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1), group(2, { bucket_size: 3600, topper_bucket_size: 3600 })],
    declaration: {
      probes: [{ id: 'p1' }],
      pools: [DECLARED_POOL, { name: 'bare' }, { name: 'here', path: tmpdir() }],
    },
    // The newest first: the answer does not have the order of the imports.
    lines: [
      line(T0 + 2 * DAY + 120),
      line(T0 + 10),
      line(T0 + 2 * DAY - 1, GROUP, { probe: 'p1' }),
    ],
  });
  await lab.importSamples([line(T0 + 2 * DAY)], { engine: 2 });
  await lab.importSamples([line(T0 + 3 * DAY, HOURS), line(T0, HOURS)], { engine: 1 });
  await lab.apply({ context: 'hourly', slice_seconds: 3600, groups: [group(1)] });
  const hours = [line(T0 + 10 * 3600), line(T0 - 1), line(T0 + 10 * 3600 + 3599)];
  await lab.importSamples(hours, { context: 'hourly' });
  await lab.apply({ context: 'empty', groups: [group(1)] });
  await lab.addUser({ username: 'bob', token: 'bob-token' }, ['hourly', 'empty']);
  lab.clock.seconds = T0 + 10 * DAY;
});

afterAll(() => lab.close());

const BOB = { username: 'bob', api_token: 'bob-token' };

const slices = (parameters: RestParameters = {}) => lab.ok<SlicesBody>('slices', parameters);

const namesOf = ({ slices }: SlicesBody) => slices.map(({ name }) => name);

const SIZE = isOnCluster
  ? `(select sum(result::bigint)
      from run_command_on_shards(oid, $$select pg_total_relation_size('%s')$$))`
  : 'pg_total_relation_size(oid)';

/** The partition of a slice's open pages: it has one generation, and no sealed pages. */
async function partitionOf(id: number): Promise<{ path: string; size: number }> {
  const rows = await lab.sql<{ path: string; size: string }>(
    `select pg_relation_filepath(oid) as path, ${SIZE} as size
     from pg_class join pg_inherits on inhrelid = oid
     where inhparent = 'open_segment_pages'::regclass and pg_get_expr(relpartbound, oid) like '% FROM (' || $1 || ', %'`,
    [id],
  );
  return { path: rows[0]?.path ?? '', size: Number(rows[0]?.size) };
}

describe('time slices', () => {
  it('without flags are those of engine instance 0, oldest first', async () => {
    const answer = await slices();
    expect(Object.keys(answer).sort()).toEqual(
      ['context_name', 'ha_slave_mode', 'pools', 'slices', 'total_window'].sort(),
    );
    expect(answer).toMatchObject({
      context_name: 'lab',
      ha_slave_mode: false,
      total_window: null,
      pools: [],
    });
    expect(namesOf(answer)).toEqual([
      'slice-20240715-0000',
      'slice-20240716-0000',
      'slice-20240717-0000',
    ]);
    expect(namesOf(await slices({ get_all_engines: false }))).toEqual(namesOf(answer));
  });

  it('are one interval each, with all the fields that apply and no others', async () => {
    const answer = await slices();
    for (const [i, slice] of answer.slices.entries()) {
      const { path } = await partitionOf(slice.id);
      expect(slice).toEqual({
        time_interval: { from: T0 + i * DAY, to: T0 + (i + 1) * DAY },
        name: `slice-2024071${5 + i}-0000`,
        status: 'available',
        available: true,
        tags: ['primary'],
        path,
        id: slice.id,
      });
      expect(path).toMatch(/^base\/\d+\/\d+$/);
    }
    expect(new Set(answer.slices.map(({ id }) => id)).size).toBe(3);
  });

  it('of all engines are sorted by start, then engine instance (decisions 15 and 17)', async () => {
    const answer = await slices({ get_all_engines: true });
    expect(namesOf(answer)).toEqual([
      'slice-20240715-0000',
      'slice-20240715-0000-1',
      'slice-20240716-0000',
      'slice-20240717-0000',
      'slice-20240717-0000-2',
      'slice-20240718-0000-1',
    ]);
  });

  it('of an hour start on a UTC hour and are named after it', async () => {
    const answer = await slices({ ...BOB, context: 'hourly' });
    expect(answer.slices.map(({ name, time_interval }) => [name, time_interval])).toEqual([
      ['slice-20240714-2300', { from: T0 - 3600, to: T0 }],
      ['slice-20240715-1000', { from: T0 + 36_000, to: T0 + 39_600 }],
    ]);
  });

  it('of a context without data are none', async () => {
    const parameters = { ...BOB, context: 'empty', get_total_window: true };
    expect(await slices(parameters)).toEqual({
      context_name: 'empty',
      ha_slave_mode: false,
      total_window: null,
      slices: [],
      pools: [],
    });
  });

  it('are the same for a probe, which is only checked', async () => {
    const flags = { get_total_window: true, get_all_engines: true };
    expect(await slices({ ...flags, probe_id: 'p1' })).toEqual(await slices(flags));
  });
});

describe('the status of a slice (decision 17)', () => {
  it('is processing while its end lies in the future', async () => {
    const statuses = async (seconds: number) => {
      lab.clock.seconds = seconds;
      const answer = await slices();
      expect(answer.slices.every(({ available }) => available)).toBe(true);
      return answer.slices.map(({ status }) => status);
    };
    const open = 'processing';
    const done = 'available';
    expect(await statuses(T0)).toEqual([open, open, open]);
    expect(await statuses(T0 + DAY - 1)).toEqual([open, open, open]);
    expect(await statuses(T0 + DAY)).toEqual([done, open, open]);
    expect(await statuses(T0 + 3 * DAY - 1)).toEqual([done, done, open]);
    expect(await statuses(T0 + 3 * DAY)).toEqual([done, done, done]);
  });
});

describe('get_total_window', () => {
  it('fills the window from the oldest bucket to the end of the newest', async () => {
    const { total_window } = await slices({ get_total_window: true });
    // The newest bucket is one of 3,600 seconds, of another engine than 0.
    expect(total_window).toEqual({ from: T0, to: T0 + 3 * DAY + 3600 });
    const hourly = await slices({ ...BOB, context: 'hourly', get_total_window: true });
    expect(hourly.total_window).toEqual({ from: T0 - 60, to: T0 + 11 * 3600 });
  });
});

describe('get_disk_usage (decision 16)', () => {
  it('gives each slice the size of its pages with their index', async () => {
    const answer = await slices({ get_disk_usage: true, get_all_engines: true });
    for (const { id, disk_size } of answer.slices) {
      expect(disk_size).toBe((await partitionOf(id)).size);
      expect(disk_size).toBeGreaterThan(0);
    }
    const { slices: without } = await slices({ get_disk_usage: false });
    expect(without.some((slice) => 'disk_size' in slice)).toBe(false);
  });

  it('is measured for each request', async () => {
    const size = async () =>
      (await slices({ get_disk_usage: true, context: 'hourly', ...BOB })).slices[0]?.disk_size;
    const before = await size();
    const many = Array.from({ length: 8000 }, (_, i) => line(T0 - 60, GROUP, { key: `k${i}` }));
    await lab.importSamples(many, { context: 'hourly' });
    expect(Number(await size())).toBeGreaterThan(Number(before));
  });

  it('fills the pools with declared values where they cannot be measured', async () => {
    const { pools } = await slices({ get_disk_usage: true });
    expect(pools).toContainEqual({
      status: 'offline',
      total_size: 9007199254740991,
      avail_size: 12,
      file_system: 'ext4',
      mounted: '/nowhere/tape',
      offline_archive: true,
      offline_archive_mounted: true,
      additional_info: 'shelf 3',
    });
    // Fields that do not apply are absent, not null (decision 6).
    expect(pools).toContainEqual({
      status: 'online',
      offline_archive: false,
      offline_archive_mounted: false,
    });
    expect(pools).toHaveLength(3);
  });

  it('reads the sizes of a pool from the file system where it is mounted', async () => {
    const { blocks, bsize } = await statfs(tmpdir());
    const { pools } = await slices({ get_disk_usage: true });
    const here = pools.find(({ mounted }) => mounted === tmpdir());
    expect(here).toMatchObject({ status: 'online', total_size: blocks * bsize });
    expect(here?.['avail_size']).toBeGreaterThan(0);
  });

  it('gives the file system of the data folder where no pool is declared', async () => {
    const { pools } = await slices({ ...BOB, context: 'hourly', get_disk_usage: true });
    const sizes = { total_size: expect.any(Number), avail_size: expect.any(Number) };
    expect(pools).toMatchObject([{ status: 'online', ...sizes, offline_archive: false }]);
  });

  it('is the only flag that fills the pools', async () => {
    const flags = { get_total_window: true, get_all_engines: true };
    expect((await slices(flags)).pools).toEqual([]);
  });
});
