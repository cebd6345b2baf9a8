import fc from 'fast-check';
import { compactContext } from '../../../store/merge/compact-context.ts';
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
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

/**
 * Data and questions of a run follow from this seed. It is part of the name of every test of
 * relations, and COUNTERGRAPH_TEST_SEED repeats a run.
 */
export const SEED = Number(process.env['COUNTERGRAPH_TEST_SEED'] ?? Date.now() % 2 ** 31);

/** How the properties are checked. */
export const ASSURED = {
  numRuns: Math.ceil(FUZZ_CASES / 3),
  seed: SEED,
  endOnFailure: true,
};

/** Meter n has type n, except the last: a counter of readings that fill 62 bits. */
export const WIDE = 20;
export const METERS = [
  ...Array.from({ length: 12 }, (_, i) => meter(i + 1, i + 1)),
  meter(WIDE, 2),
];
/** Every reading of `MEAN` comes with its sum and its count as readings of counters. */
export const SUM = 2;
export const COUNT = 3;
export const MEAN = 5;

export const HOSTS = group(1, { meters: METERS, key_kind: 'ip' });
/** Text is searched in the label, which for these keys is the key. */
export const TEXTS = group(2, { meters: METERS, bucket_size: 1, topper_bucket_size: 60 });

/** Of the third and fourth group, buckets or topper buckets do not divide an hour. */
export const GROUPS: readonly DeclaredGroup[] = [
  HOSTS,
  TEXTS,
  group(3, {
    meters: METERS,
    bucket_size: 27,
    topper_bucket_size: 540,
    key_kind: 'crosskey',
    crosskey: { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) },
  }),
  group(4, {
    meters: METERS,
    bucket_size: 300,
    topper_bucket_size: 2400,
    sampling_rate: 7,
    key_kind: 'port',
  }),
  group(5, {
    meters: METERS,
    bucket_size: 3600,
    topper_bucket_size: 7200,
    key_kind: 'protocol',
  }),
];

export const PROBES = ['p1'];

/** The second to the fifth day are as many as a roll-up combines. */
export const DAYS = 6;

/** Draws one value. Different places in the tests give different numbers. */
export function drawn<T>(arbitrary: fc.Arbitrary<T>, place: number): T {
  const [value] = fc.sample(arbitrary, { numRuns: 1, seed: SEED + place });
  if (value === undefined) throw new Error('a value was to be drawn');
  return value;
}

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

const ADDRESSES = [
  ...['C0.A8.01', 'C0.A8.02', 'C0.00.02'].flatMap((net) => [`${net}.01`, `${net}.0A`, `${net}.F0`]),
  ...['00.01', '00.02', '80.01'].map((end) => `20.01.0D.B8${'.00'.repeat(10)}.${end}`),
];

/** Their order by bytes and by the alphabet differs. */
const NAMES = ['http', 'HTTPS', 'dns', 'dns-over-https', 'é', '\u{1F600}', '10.0', 'ssh'];

const KEYS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ip: fc.constantFrom(...ADDRESSES),
  text: fc.constantFrom(...NAMES),
  crosskey: fc
    .tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom(...NAMES))
    .map(([address, name]) => `${address}\\${name}`),
  port: fc.nat({ max: 30 }).map((n) => `00.${hex(n)}`),
  protocol: fc.nat({ max: 12 }).map(hex),
};

const amount = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 500 }), fc.nat({ max: 2 ** 40 }));
const signed = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer());
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Readings of some meters. Those of the mean, of its sum and of its count are never alone. */
const sample = fc
  .record({
    count: fc.integer({ min: 1, max: 3 }),
    mean: maybe(amount),
    amounts: fc.tuple(...[1, 4, 10].map(() => maybe(amount))),
    signed: fc.tuple(...[6, 7, 8, 9, 11, 12].map(() => maybe(signed))),
    wide: maybe(fc.bigInt(2n ** 61n, 2n ** 62n)),
  })
  .map(({ count, mean, amounts, signed: others, wide }) => {
    const read = [
      ...(mean === undefined ? [] : [[SUM, mean] as const, [COUNT, count], [MEAN, mean]]),
      ...[1, 4, 10].map((id, i) => [id, amounts[i]] as const),
      ...[6, 7, 8, 9, 11, 12].map((id, i) => [id, others[i]] as const),
      [WIDE, wide] as const,
    ].filter(([, value]) => value !== undefined);
    return { count, values: Object.fromEntries(read.length > 0 ? read : [[11, 0]]) };
  });

/** Starts of tiles of every length, and the ends of slices. */
const MARKS = [0, 899, 900, 3599, 3600, 43_200, DAY - 3600, DAY - 1];
const secondOfDay = fc.oneof(fc.constantFrom(...MARKS), fc.nat({ max: DAY - 1 }));

/** Some readings of a key, one after another. */
const run = (of: DeclaredGroup): fc.Arbitrary<Line[]> =>
  fc
    .record({
      key: KEYS[of.key_kind] ?? fc.constant(''),
      at: fc.tuple(fc.nat({ max: DAYS - 1 }), secondOfDay),
      every: fc.constantFrom(1, of.bucket_size, of.bucket_size, of.topper_bucket_size),
      samples: fc.array(sample, { minLength: 1, maxLength: 25 }),
      probe: fc.constantFrom(undefined, undefined, ...PROBES),
    })
    .map(({ key, at: [day, second], every, samples, probe }) =>
      samples
        .map((each, i) => ({
          group: of.guid,
          key,
          ts: T0 + day * DAY + second + i * every,
          ...each,
          label: `key ${key}`,
          ...(probe !== undefined && { probe }),
        }))
        .filter(({ ts }) => ts < T0 + DAYS * DAY),
    )
    .map((lines) => (of === TEXTS ? lines.map(({ label: _, ...line }) => line) : lines));

/** A day with so many addresses that their segment has heads; most have one reading. */
export const CROWD_DAY = T0 + 2 * DAY;
const ADDRESSES_OF_CROWD = 4_500;

const crowd = fc.array(fc.nat({ max: 10_000 }), {
  minLength: ADDRESSES_OF_CROWD,
  maxLength: ADDRESSES_OF_CROWD,
});

const crowdValues = (value: number) => ({ [SUM]: value, [COUNT]: 1, [MEAN]: value, 11: value % 7 });

const crowdLines = (numbers: readonly number[]): Line[] =>
  numbers.flatMap((number, i) =>
    Array.from({ length: i % 50 === 0 ? 40 : 1 }, (_, n) => ({
      group: HOSTS.guid,
      key: `0A.00.${hex(i >> 8)}.${hex(i & 255)}`,
      ts: CROWD_DAY + 21_000 + ((number + n * 1700) % 50_000),
      values: crowdValues(1 + (number % 997) * (i % 50 === 0 ? 90 : 1)),
    })),
  );

/** All samples of a run, in no order. */
export function drawLines(): Line[] {
  const runs = GROUPS.map((each) => fc.array(run(each), { minLength: 40, maxLength: 40 }));
  const lines = [
    ...runs.flatMap((each, i) => drawn(each, i).flat()),
    ...crowdLines(drawn(crowd, 9)),
  ];
  return shuffled(lines, 10);
}

/** The same lines in another order. */
export function shuffled(lines: readonly Line[], place: number): Line[] {
  const size = { minLength: lines.length, maxLength: lines.length };
  const order = drawn(fc.array(fc.nat(), size), place);
  return lines
    .map((line, i) => ({ line, by: order[i] ?? 0 }))
    .sort((a, b) => a.by - b.by)
    .map(({ line }) => line);
}

/** Seals the slices that have data; all of them are over. */
export const compact = ({ databaseUrl }: TestService, context = CONTEXT) =>
  compactContext({ databaseUrl, context, now: () => Math.floor(Date.now() / 1000) });

export const DECLARATION = {
  groups: GROUPS,
  declaration: { probes: PROBES.map((id) => ({ id })) },
};

/** A service with sealed segments of two engines, a roll-up, and late and new open segments. */
export async function startRelationLab(): Promise<TestService> {
  const lab = await startLab(DECLARATION);
  const lines = drawLines();
  const isEarly = ({ ts }: Line, i: number) => ts < T0 + 5 * DAY && i % 5 !== 0;
  const early = lines.filter(isEarly);
  const late = lines.filter((line, i) => !isEarly(line, i));
  await lab.importSamples(early.slice(0, 3_000));
  await lab.importSamples(early.slice(3_000), { engine: 1 });
  const { rollUps } = await compact(lab);
  if (rollUps === 0) throw new Error('the sealed slices were to be rolled up');
  await lab.importSamples(late.slice(0, 1_000));
  await lab.importSamples(late.slice(1_000));
  return lab;
}
