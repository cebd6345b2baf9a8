import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DAY,
  type DeclaredGroup,
  group,
  guidOf,
  meter,
  startLab,
  T0,
} from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import { keepingOf, makePoolFolder, removeFolder } from './keep-support.ts';

const SLICE = 'slice-20240715-0000';

/** Group 1 and the cross-keys of 1 and 3 have readings, groups 2 and 4 have none. */
const PAIRS = group(5, {
  key_kind: 'crosskey',
  crosskey: { parentguid: guidOf(1), crosskeyguid_1: guidOf(3) },
});
const GROUPS: readonly DeclaredGroup[] = [group(1), group(2), group(3), group(4), PAIRS];

const lineOf = (n: number, key: string, value: number): Line => ({
  group: guidOf(n),
  key,
  ts: T0 + 60,
  values: { 0: value },
  probe: 'core',
});

const LINES = [lineOf(1, 'a', 5), lineOf(1, 'b', 7), lineOf(5, 'a\\c', 3)];

let lab: TestService;
let pool: string;
let keeping: ReturnType<typeof keepingOf>;

beforeEach(async () => {
  pool = await makePoolFolder();
  const pools = [{ name: 'oper', path: pool }];
  const probes = [{ id: 'core' }, { id: 'idle' }];
  lab = await startLab({ groups: GROUPS, declaration: { pools, probes }, lines: LINES });
  lab.clock.seconds = T0 + 20 * DAY;
  keeping = keepingOf(lab);
});

afterEach(async () => {
  await lab.close();
  await removeFolder(pool);
});

const toppers = () =>
  Promise.all(
    [1, 5].map((n) =>
      lab.topper({ counter_group: guidOf(n), window_fromts: T0, window_tots: T0 + 3600 }),
    ),
  );

const declare = (changed: DeclaredGroup) => lab.apply({ context: CONTEXT, groups: [changed] });

describe('an archive, after groups that it has no readings of were changed', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['the topper buckets', () => declare(group(2, { topper_bucket_size: 600 }))],
    ['the buckets', () => declare(group(2, { bucket_size: 300 }))],
    ['the kind of keys', () => declare(group(2, { key_kind: 'ip' }))],
    ['the type of a meter', () => declare(group(2, { meters: [meter(0, 11)] }))],
    [
      'the parts of a cross-key group',
      async () => {
        const pairs = { ...PAIRS, guid: guidOf(6) };
        await declare(pairs);
        await keeping.restore(SLICE);
        await keeping.archive(SLICE);
        const crosskey = { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) };
        await declare({ ...pairs, crosskey });
      },
    ],
    [
      'several, and one of them has readings since',
      async () => {
        await declare(group(2, { key_kind: 'ip' }));
        await declare(group(4, { topper_bucket_size: 600 }));
        const ts = T0 + 5 * DAY;
        await lab.importSamples([{ ...lineOf(2, '0A.00.00.01', 1), ts }]);
      },
    ],
    [
      'all of it, by removing it',
      () => lab.sql(`delete from counter_groups where guid = '${guidOf(2)}'`),
    ],
    ['a probe without readings', () => lab.sql(`delete from probes where name = 'idle'`)],
  ])('is restored, and its toppers are the same: %s', async (_, change) => {
    const before = await toppers();
    await keeping.archive(SLICE);
    await change();
    await keeping.restore(SLICE);
    expect(await toppers()).toEqual(before);
    expect(await keeping.verify()).toMatchObject({ differenceCount: 0 });
  });
});

describe('a group whose readings are all archived', () => {
  it.each([
    ['topper_bucket_size', group(1, { topper_bucket_size: 600 })],
    ['key_kind', group(1, { key_kind: 'ip' })],
    ['type', group(1, { meters: [meter(0, 11)] })],
    ['key_kind', group(3, { key_kind: 'ip' })],
  ])('keeps its %s, and so does each group that its keys consist of', async (property, changed) => {
    await keeping.archive(SLICE);
    await expect(declare(changed)).rejects.toThrow(
      new RegExp(`^${property} of .* cannot change once there is data`),
    );
    await keeping.restore(SLICE);
  });
});

describe('an archive with readings of a group that was changed by hand', () => {
  it.each([
    [`update counter_groups set topper_bucket_size = 600 where guid = '${guidOf(1)}'`, 'Group 1'],
    [`update counter_groups set key_kind = 'ip' where guid = '${guidOf(3)}'`, 'Group 3'],
    [`update counter_groups set guid = gen_random_uuid() where guid = '${guidOf(5)}'`, 'Group 5'],
    [`update probes set name = 'edge' where name = 'core'`, 'probe core was number'],
  ])('is refused, and its file is kept: %s', async (change, what) => {
    await keeping.archive(SLICE);
    await lab.sql(change);
    await expect(keeping.restore(SLICE)).rejects.toThrow(what);
    expect((await keeping.list()).map(({ archived }) => archived)).toEqual([true]);
  });
});
