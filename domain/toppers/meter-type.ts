/**
 * How the readings of a meter combine (decision 23).
 * - `sum`: a counter; the window's value is the sum of its buckets.
 * - `rate`: stored as volume (units × seconds); shown as volume ÷ topper bucket size.
 * - `mean`: sum and count of readings; shown as sum ÷ count.
 * - `max`, `min`: the largest, the smallest reading.
 */
export type Aggregate = 'sum' | 'rate' | 'mean' | 'max' | 'min';

type MeterTypeRow = { readonly name: string; readonly aggregate: Aggregate | null };

/** The specification's meter types by number. `aggregate` is null if ranking is meaningless. */
const METER_TYPES = [
  { name: 'VT_INVALID', aggregate: null },
  { name: 'VT_RATE_COUNTER_WITH_SLIDING_WINDOW', aggregate: 'rate' },
  { name: 'VT_COUNTER', aggregate: 'sum' },
  { name: 'VT_COUNTER_WITH_SLIDING_WINDOW', aggregate: 'sum' },
  { name: 'VT_RATE_COUNTER', aggregate: 'rate' },
  { name: 'VT_GAUGE', aggregate: 'mean' },
  { name: 'VT_GAUGE_MIN_MAX_AVG', aggregate: 'mean' },
  { name: 'VT_AUTO', aggregate: 'mean' },
  { name: 'VT_RUNNING_COUNTER', aggregate: 'max' },
  { name: 'VT_AVERAGE', aggregate: 'mean' },
  { name: 'VT_DELTA_RATE_COUNTER', aggregate: 'rate' },
  { name: 'VT_MAX', aggregate: 'max' },
  { name: 'VT_MIN', aggregate: 'min' },
] as const satisfies readonly MeterTypeRow[];

export type MeterTypeName = (typeof METER_TYPES)[number]['name'];

export const METER_TYPE_NAMES: readonly MeterTypeName[] = METER_TYPES.map((row) => row.name);

export const meterTypeName = (type: number): MeterTypeName =>
  METER_TYPES[type]?.name ?? 'VT_INVALID';

/** The rule by which readings of this type combine; null for type 0, which cannot be ranked. */
export const aggregateOf = (type: number): Aggregate | null => METER_TYPES[type]?.aggregate ?? null;

/** Counters and rate counters: a missing reading is zero, and an all-zero key is not listed. */
export const isCounting = (aggregate: Aggregate): aggregate is 'sum' | 'rate' =>
  aggregate === 'sum' || aggregate === 'rate';
