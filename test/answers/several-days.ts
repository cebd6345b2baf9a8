import fc from 'fast-check';
import { DAY, type DeclaredGroup, group, T0 } from '../support/lab/lab.ts';
import type { Line } from '../support/lab/service.ts';
import { METERS, values } from '../support/random/random-samples.ts';
import type { ReferenceQuestion } from '../support/reference/reference-topper.ts';

/** Buckets of every length that matters: minutes, hours, seconds and days. */
export const GROUPS: readonly DeclaredGroup[] = [
  group(1, { meters: METERS }),
  group(2, {
    meters: METERS,
    key_kind: 'protocol',
    sampling_rate: 7,
    bucket_size: 3600,
    topper_bucket_size: 7200,
  }),
  group(3, {
    meters: METERS,
    key_kind: 'protocol',
    bucket_size: 1,
    topper_bucket_size: 60,
  }),
  group(4, { meters: METERS, bucket_size: DAY, topper_bucket_size: DAY, key_kind: 'protocol' }),
];

/** Long enough for windows over many slices. */
export const DAYS = 18;

export const PROBES = ['p1', 'p2'];

const hex = (n: number): string => n.toString(16).toUpperCase().padStart(2, '0');

/** Two frequent keys, some rarer ones, and one key for each day. */
function keyOf({ key_kind }: DeclaredGroup, day: number): fc.Arbitrary<string> {
  const name = (text: string, n: number): string =>
    key_kind === 'text' ? `${text}${n}` : hex({ hot: 0, flat: 16, day: 64 }[text] ?? 0 + n);
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 1 }).map((n) => name('hot', n)) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 9 }).map((n) => name('flat', n)) },
    { weight: 1, arbitrary: fc.constant(name('day', day)) },
  );
}

/** Starts and ends of buckets of all lengths, in seconds from midnight. */
const MARKS = [0, 1, 59, 60, 299, 300, 3599, 3600, 7200, 43_199, 43_200, DAY - 60, DAY - 1];

const secondOfDay = fc.oneof(fc.constantFrom(...MARKS), fc.integer({ min: 0, max: DAY - 1 }));

const lineOf = (each: DeclaredGroup, day: number): fc.Arbitrary<Line> =>
  fc
    .record({
      key: keyOf(each, day),
      second: secondOfDay,
      values,
      count: fc.integer({ min: 1, max: 3 }),
      probe: fc.constantFrom(undefined, undefined, 'p1'),
    })
    .map(({ second, probe, ...rest }) => ({
      group: each.guid,
      ts: T0 + day * DAY + second,
      ...rest,
      ...(probe !== undefined && { probe }),
    }));

/** Some samples of each group for each day; now and then a day without any. */
export const history: fc.Arbitrary<Line[]> = fc
  .tuple(
    ...GROUPS.flatMap((each) =>
      Array.from({ length: DAYS }, (_, day) => fc.array(lineOf(each, day), { maxLength: 4 })),
    ),
  )
  .map((all) => shortly(all.flat()));

/** A failure prints only the number of samples: the seed reproduces them. */
const shortly = (lines: Line[]): Line[] =>
  Object.assign(lines, { [fc.toStringMethod]: () => `${lines.length} samples` });

export type LateImport = { readonly engine: number; readonly lines: readonly Line[] };

/** A few samples for old days, or for days after all others; also of another engine or probe. */
export const lateImport: fc.Arbitrary<LateImport> = fc
  .record({
    engine: fc.constantFrom(0, 0, 1),
    days: fc.uniqueArray(
      fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 0, max: DAYS - 1 }) },
        // The newest day, and the two after it.
        { weight: 2, arbitrary: fc.integer({ min: DAYS - 1, max: DAYS + 1 }) },
        { weight: 1, arbitrary: fc.constant(-1) },
      ),
      { minLength: 1, maxLength: 2 },
    ),
    probe: fc.constantFrom(undefined, undefined, 'p2'),
  })
  .chain(({ engine, days, probe }) =>
    fc
      .tuple(...days.flatMap((day) => GROUPS.map((each) => fc.array(lineOf(each, day), LATE))))
      .map((all) => ({
        engine,
        lines: shortly(all.flat().map((line) => ({ ...line, ...(probe && { probe }) }))),
      })),
  );

const LATE = { minLength: 1, maxLength: 3 };

export type Question = ReferenceQuestion & {
  readonly match?: string | undefined;
  readonly exclude?: string | undefined;
};

const aligned = (most: number) => fc.integer({ min: -1, max: most });

/** Whole days, hours or minutes, any seconds, part of a bucket, and far more than the data. */
const window: fc.Arbitrary<{ from: number; to: number }> = fc.oneof(
  fc.tuple(aligned(DAYS + 2), fc.integer({ min: 1, max: DAYS + 4 })).map(([day, days]) => ({
    from: T0 + day * DAY,
    to: T0 + (day + days) * DAY,
  })),
  fc
    .tuple(
      fc.constantFrom(1, 60, 300, 3600),
      fc.integer({ min: -DAY, max: (DAYS + 3) * DAY }),
      fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: DAY, max: 12 * DAY })),
    )
    .map(([step, at, seconds]) => {
      const from = T0 + Math.floor(at / step) * step;
      return { from, to: from + Math.ceil(seconds / step) * step };
    }),
  fc
    .tuple(fc.integer({ min: 0, max: DAYS - 1 }), secondOfDay, fc.integer({ min: 1, max: 60 }))
    .map(([day, second, length]) => {
      const from = T0 + day * DAY + second;
      return { from, to: from + length };
    }),
  fc.constantFrom({ from: 0, to: 253_402_300_799 }, { from: 0, to: T0 }),
);

/** Patterns that mean the same in RE2 and in JavaScript. */
const PATTERNS = ['^(hot|0)', '1', '^(day1|4)', '.', '^$', '[02468]$'];

export const question: fc.Arbitrary<Question> = fc
  .record({
    group: fc.constantFrom(...GROUPS),
    meter: fc.constantFrom(...METERS.map(({ id }) => id)),
    window,
    probe: fc.constantFrom(undefined, undefined, ...PROBES),
    maxItems: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(1000)),
    ranks: fc.uniqueArray(fc.constantFrom(0, 33.3, 50, 95, 99.9, 100), { maxLength: 3 }),
    match: fc.option(fc.constantFrom(...PATTERNS), { nil: undefined }),
    exclude: fc.option(fc.constantFrom(...PATTERNS), { nil: undefined, freq: 2 }),
  })
  .map(({ window: { from, to }, match, exclude, ...rest }) => ({
    ...rest,
    from,
    to,
    match,
    exclude,
    [fc.toStringMethod]: () =>
      JSON.stringify({ ...rest, group: rest.group.name, from, to, match, exclude }),
    passes: (key: string) =>
      (match === undefined || new RegExp(match, 'u').test(key)) &&
      (exclude === undefined || !new RegExp(exclude, 'u').test(key)),
  }));
