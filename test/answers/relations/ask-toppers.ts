import fc from 'fast-check';
import { DAY, type DeclaredGroup, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';
import { DAYS, drawLines, GROUPS, METERS, PROBES, WIDE } from './relation-lab.ts';

export type Window = { readonly from: number; readonly to: number };

/** A topper's arguments; those that are left out have their default. */
export type Asked = {
  readonly group: DeclaredGroup;
  readonly meter: number;
  readonly window: Window;
  readonly maxItems?: number;
  readonly probe?: string | undefined;
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly prefix?: { readonly ipv4: number; readonly ipv6: number };
  readonly rankBy?: string;
  readonly percentile?: number;
};

/** A `BigInt` of GraphQL. */
export type Value = number | string;

export type ListedKey = { readonly key: string; readonly metric: Value };

export type Totals = {
  readonly total: Value;
  readonly others: Value;
  readonly othersMatching: Value;
  readonly keyCount: number;
};

export type Answer<Key = ListedKey> = Totals & { readonly keys: readonly Key[] };

/** As many keys as one answer can list: more than any group has. */
export const ALL = 10_000;

export const TOTALS = 'total others othersMatching keyCount';

const TYPES: Readonly<Record<string, string>> = {
  group: 'Guid!',
  meter: 'Int!',
  window: 'WindowInput',
  maxItems: 'Int! = 100',
  probe: 'String',
  filter: 'KeyFilterInput',
  prefix: 'PrefixInput',
  rankBy: 'RankBy! = METRIC',
  percentile: 'Float',
};

const named = (names: readonly string[]): string =>
  names.map((name) => `${name}: $${name}`).join(' ');

const OF_TREND = ['meter', 'window', 'maxItems', 'probe', 'filter'];
const OF_TOPPER = [...OF_TREND, 'prefix', 'rankBy', 'percentile'];

type Asking = { readonly lab: TestService; readonly asked: Asked };

/** Asks for a field of the group, whose arguments have these names. */
async function ask<Data>(
  { lab, asked: { group, window, ...asked } }: Asking,
  names: readonly string[],
  field: string,
): Promise<Data> {
  const declared = ['group', ...names].map((name) => `$${name}: ${TYPES[name]}`).join(' ');
  const text = `query (${declared}) { context(name: "lab") { counterGroup(guid: $group) {
    asked: ${field} } } }`;
  const variables = { ...asked, group: group.guid, window: { interval: window } };
  type Answered = { context: { counterGroup: { asked: Data } } };
  return (await lab.data<Answered>(text, variables)).context.counterGroup.asked;
}

/** Returns what `selection` selects of a topper. */
export const askTopper = <Topper = Answer>(
  lab: TestService,
  asked: Asked,
  selection = `${TOTALS} keys { key metric }`,
): Promise<Topper> =>
  ask({ lab, asked }, OF_TOPPER, `topper(${named(OF_TOPPER)}) { ${selection} }`);

/** The same of the toppers of a trend in steps of so many seconds. */
export const askTrend = <Topper>(
  lab: TestService,
  { every, ...asked }: Asked & { readonly every: number },
  selection: string,
): Promise<readonly Topper[]> =>
  ask({ lab, asked }, OF_TREND, `topperTrend(every: ${every} ${named(OF_TREND)}) { ${selection} }`);

/** How values of a meter combine, as far as they do without the count of readings. */
export type Aggregate = 'sum' | 'largest' | 'smallest';

const AGGREGATES: Readonly<Record<number, Aggregate>> = {
  2: 'sum',
  3: 'sum',
  8: 'largest',
  11: 'largest',
  12: 'smallest',
  [WIDE]: 'sum',
};

/** The meters whose values combine exactly: rates are rounded, means need counts. */
export const AGGREGATED = Object.keys(AGGREGATES).map(Number);

/** Rates, whose volumes add up. */
export const RATES = [1, 4, 10];

/** Meters whose keys count zero where they have no reading. */
export const COUNTING = [...RATES, 2, 3, WIDE];

/** Aggregates values of an aggregated meter. Without any, the answer is 0, as it is in a topper. */
export function aggregate(meter: number, values: readonly (Value | bigint)[]): bigint {
  const all = values.map(BigInt);
  const [first = 0n, ...rest] = all;
  switch (AGGREGATES[meter]) {
    case 'sum':
      return all.reduce((sum, value) => sum + value, 0n);
    case 'largest':
      return rest.reduce((most, value) => (value > most ? value : most), first);
    case 'smallest':
      return rest.reduce((least, value) => (value < least ? value : least), first);
    default:
      throw new Error(`values of meter ${meter} do not combine`);
  }
}

/** What all keys that pass the topper's filter have together. Empty if there are none. */
export const ofMatching = ({ keys, keyCount, othersMatching }: Answer): Value[] => [
  ...keys.map(({ metric }) => metric),
  ...(keyCount > keys.length ? [othersMatching] : []),
];

/** Largest first; equal values in the order of the keys' bytes. */
export const inOrder = <Key>(
  keys: readonly Key[],
  { by, named }: { by: (key: Key) => Value | bigint; named: (key: Key) => string },
): Key[] =>
  keys.toSorted((a, b) => {
    const difference = BigInt(by(b)) - BigInt(by(a));
    if (difference !== 0n) return difference > 0n ? 1 : -1;
    return Buffer.compare(Buffer.from(named(a)), Buffer.from(named(b)));
  });

const END = T0 + DAYS * DAY;

/** When there are readings: there, a window that begins or ends a bucket too late differs. */
const READ_AT = drawLines()
  .filter((_, i) => i % 20 === 0)
  .map(({ ts }) => ts);

const time = fc.oneof(
  fc
    .tuple(fc.constantFrom(...READ_AT), fc.constantFrom(-27, 0, 1, 60))
    .map(([at, more]) => at + more),
  fc.integer({ min: T0 - 3600, max: END + 3600 }),
  fc.nat({ max: DAYS }).map((day) => T0 + day * DAY),
  fc.nat({ max: DAYS * 24 }).map((hour) => T0 + hour * 3600),
);

/** Three times in order: of any length, of whole days but for less than an hour, or close together. */
export const times: fc.Arbitrary<readonly [number, number, number]> = fc
  .oneof(
    fc.tuple(time, time, time),
    fc
      .tuple(fc.nat({ max: DAYS - 2 }), fc.nat({ max: 3599 }), fc.nat({ max: 3599 }), time)
      .map(([day, after, before, middle]): [number, number, number] => [
        T0 + day * DAY + after,
        middle,
        T0 + (day + 2) * DAY - before,
      ]),
    fc
      .tuple(time, fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 4000 }))
      .map(([from, first, second]): [number, number, number] => [
        from,
        from + first,
        from + first + second,
      ]),
  )
  .map((drawn) => drawn.toSorted((a, b) => a - b))
  .map(([a = 0, b = 0, c = 0]): [number, number, number] => [
    a,
    Math.max(b, a + 1),
    Math.max(c, b + 1, a + 2),
  ]);

export const windows: fc.Arbitrary<Window> = times.map(([from, , to]) => ({ from, to }));

export const probes = fc.constantFrom(undefined, undefined, ...PROBES);

/** Questions about any of these meters, to print by a failure without the group's meters. */
export const questions = (
  meters: readonly number[] = METERS.map(({ id }) => id),
  groups = GROUPS,
): fc.Arbitrary<Asked> =>
  fc
    .record({
      group: fc.constantFrom(...groups),
      meter: fc.constantFrom(...meters),
      window: windows,
      probe: probes,
    })
    .map((asked) => shownBriefly(asked));

export const shownBriefly = <Question extends Asked>(asked: Question): Question => ({
  ...asked,
  [fc.toStringMethod]: () => JSON.stringify({ ...asked, group: asked.group.name }),
});
