import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyContext } from '../../store/check/verify-context.ts';
import { DAY, group, meter, startLab, T0 } from '../support/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/service.ts';
import { checkAnswers } from './check-answers.ts';
import type { Question } from './several-days.ts';

/** All keys are in one shard, their ids in the order in which they are first seen. */
const GROUP = group(1, {
  ...{ key_kind: 'protocol', bucket_size: 60, topper_bucket_size: 60 },
  meters: Array.from({ length: 11 }, (_, id) => meter(id, 2)),
});

/** So many bytes a number that a page of series is full long before it holds all keys. */
const LARGE = 2 ** 40;

const key = (n: number): string => n.toString(16).toUpperCase().padStart(2, '0');

const line = (n: number, ts: number, value: number): Line => ({
  ...{ group: GROUP.guid, key: key(n), ts },
  values: Object.fromEntries(GROUP.meters.map(({ id }) => [id, value + id])),
});

/** A day of a key: a reading of every meter in each of 33 minutes. */
const dayOf = (n: number): Line[] =>
  Array.from({ length: 33 }, (_, i) => line(n, T0 + DAY + i * 60, LARGE + n * 1000 + i));

const keysFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => first + i);

let lab: TestService;
let lines: Line[];

beforeAll(async () => {
  lines = [
    // On the day before, all keys once: their ids are their numbers.
    ...keysFrom(0, 128).map((n) => line(n, T0, 1)),
    // Two full pages: the first one with the series of the whole group.
    ...[...keysFrom(10, 29), ...keysFrom(60, 30)].flatMap(dayOf),
  ];
  lab = await startLab({ groups: [GROUP], lines });
});

afterAll(() => lab.close());

/** Where the pages of the day's series begin and end, and how many bytes they have. */
const pages = () =>
  lab.sql<{ start: number; last: number; bytes: number }>(
    `select start, last, octet_length(data) as bytes from key_series
     join slices using (slice_id) where starts_at = $1 order by start`,
    [T0 + DAY],
  );

const EVERYTHING: Question = {
  ...{ group: GROUP, meter: 5, from: T0 + DAY, to: T0 + 2 * DAY },
  ...{ maxItems: 1000, ranks: [0, 99, 100] },
};

const only = (wanted: string) => ({
  match: `^${wanted}$`,
  passes: (each: string) => each === wanted,
});

async function importLate(added: readonly Line[]): Promise<void> {
  await lab.importSamples(added);
  lines.push(...added);
  // Each by itself too: the page of one may hold others that are asked for as well.
  const alone = added.map((each) => ({ ...EVERYTHING, ...only(each.key) }));
  await checkAnswers({ lab, lines, questions: [EVERYTHING, ...alone] });
  const { differenceCount } = await verifyContext({
    databaseUrl: lab.databaseUrl,
    context: CONTEXT,
  });
  expect(differenceCount).toBe(0);
  const places = await pages();
  for (const [i, { start }] of places.entries()) {
    expect(start).toBeGreaterThan(places[i - 1]?.last ?? -2);
  }
}

describe('late readings of keys whose neighbours’ pages are full', () => {
  it('are found: between them and behind them', async () => {
    const before = await pages();
    expect(before.map(({ start, last }) => [start, last])).toEqual([
      [-1, 38],
      [60, 89],
    ]);
    for (const { bytes } of before) expect(bytes).toBeGreaterThan(24_000);
    await importLate([50, 127].map((n) => line(n, T0 + DAY + 600, 7)));
  });

  it('are found when more come to the same keys', async () => {
    await importLate([50, 127].map((n) => line(n, T0 + DAY + 1200, 8)));
    await importLate([4, 50, 51, 126].map((n) => line(n, T0 + DAY + 600, 9)));
  });

  it('are added to those that are there', async () => {
    await importLate([10, 38, 60].map((n) => line(n, T0 + DAY + 60, 10)));
  });
});
