import fc from 'fast-check';
import { type DeclaredGroup, group, meter, T0 } from '../lab/lab.ts';
import type { Line } from '../lab/service.ts';
import type { ReferenceQuestion } from '../reference/reference-topper.ts';

/** Meter n has type n; type 0 cannot be ranked, and takes no readings. */
const TYPES = Array.from({ length: 12 }, (_, i) => i + 1);
const NON_NEGATIVE = [1, 2, 3, 4, 10];

export const METERS = TYPES.map((type) => meter(type, type));

/** Groups that differ in everything a topper depends on. */
export const GROUPS: readonly DeclaredGroup[] = [
  group(1, { meters: METERS }),
  group(2, { meters: METERS, sampling_rate: 7 }),
  group(3, { meters: METERS, bucket_size: 1, topper_bucket_size: 1 }),
  group(4, { meters: METERS, bucket_size: 3600, topper_bucket_size: 7200, sampling_rate: 100 }),
  group(5, { meters: METERS, bucket_size: 20, topper_bucket_size: 20, key_kind: 'country' }),
];

export const PROBES = ['p1', 'p2'];

/** Keys whose order by bytes, by UTF-16 code units and by the alphabet differs. */
const TEXT_KEYS = ['a', 'B', 'aa', 'k1', 'k2', 'k10', 'é', '\u{1F600}', '\uFB01', 'x\\y'];
const COUNTRY_KEYS = ['DE', 'FR', 'US', 'JP', 'BR'];

/** Patterns that mean the same in RE2 and in JavaScript. */
export const PATTERNS = ['^[ak]', 'é|ﬁ', '^k\\d+$', '.', '1', '^$', 'E', '^.$'];

/** All times lie around midnight, where two slices meet. */
const HALF_SPAN = 7500;

/** Times at which buckets of every size begin, where a single second matters. */
const MARKS = [-7200, -3600, -300, -60, 0, 20, 60, 300, 3600, 7200].map((at) => T0 + at);

const time = fc.oneof(
  fc.integer({ min: T0 - HALF_SPAN, max: T0 + HALF_SPAN }),
  fc.constantFrom(...MARKS),
  fc.constantFrom(...MARKS.flatMap((at) => [at - 1, at + 1])),
);

const size = (type: number) =>
  NON_NEGATIVE.includes(type)
    ? fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) },
        { weight: 4, arbitrary: fc.integer({ min: 0, max: 500 }) },
        { weight: 1, arbitrary: fc.bigInt(2n ** 62n, 2n ** 63n - 1n) },
      )
    : fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: -2, max: 2 }) },
        { weight: 4, arbitrary: fc.integer({ min: -20, max: 20 }) },
        { weight: 1, arbitrary: fc.bigInt(-(2n ** 63n) + 1n, 2n ** 63n - 1n) },
      );

/** Readings of some of the meters. */
export const values = fc
  .tuple(...TYPES.map((type) => fc.option(size(type), { nil: undefined, freq: 3 })))
  .map((drawn) => {
    const given = TYPES.flatMap((type, i) => {
      const value = drawn[i];
      return value === undefined ? [] : [[type, value] as const];
    });
    return Object.fromEntries(given.length > 0 ? given : [[2, 1]]);
  });

const line = ({ guid, key_kind }: DeclaredGroup): fc.Arbitrary<Line> =>
  fc
    .record({
      key: fc.constantFrom(...(key_kind === 'text' ? TEXT_KEYS : COUNTRY_KEYS)),
      ts: time,
      values,
      count: fc.integer({ min: 1, max: 4 }),
      probe: fc.constantFrom(undefined, ...PROBES),
    })
    .map(({ probe, ...rest }) => ({ group: guid, ...rest, ...(probe !== undefined && { probe }) }));

/** Samples of all groups: few of some, many of others. */
export const samples: fc.Arbitrary<Line[]> = fc
  .tuple(
    ...GROUPS.map((each, i) => fc.array(line(each), { minLength: 1, maxLength: 30 * (i + 1) })),
  )
  .map((all) => all.flat());

export type RandomQuestion = ReferenceQuestion & {
  readonly maxItems: number;
  readonly ranks: readonly number[];
  readonly match: string | undefined;
  readonly exclude: string | undefined;
};

export const interval = fc
  .record({
    from: time,
    seconds: fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 900, max: 20_000 })),
    to: time,
  })
  .map(({ from, seconds, to }) => ({ from, to: to > from ? to : from + seconds }));

export const question: fc.Arbitrary<RandomQuestion> = fc
  .record({
    group: fc.constantFrom(...GROUPS),
    meter: fc.constantFrom(...TYPES),
    window: interval,
    probe: fc.constantFrom(undefined, undefined, ...PROBES),
    maxItems: fc.integer({ min: 1, max: 12 }),
    ranks: fc.uniqueArray(fc.constantFrom(0, 0.1, 12.5, 33.3, 50, 66.667, 75, 99.9, 100)),
    match: fc.option(fc.constantFrom(...PATTERNS), { nil: undefined }),
    exclude: fc.option(fc.constantFrom(...PATTERNS), { nil: undefined, freq: 2 }),
  })
  .map(({ window, match, exclude, ...rest }) => ({
    ...rest,
    ...window,
    match,
    exclude,
    passes: (key: string) =>
      (match === undefined || new RegExp(match, 'u').test(key)) &&
      (exclude === undefined || !new RegExp(exclude, 'u').test(key)),
  }));
