/**
 * How the readings of a meter combine (decision 23).
 * - `sum`: a counter; the window's value is the sum of its buckets.
 * - `rate`: stored as volume (units × seconds); shown as volume ÷ topper bucket size.
 * - `mean`: sum and count of readings; shown as sum ÷ count.
 * - `max`, `min`: the largest, the smallest reading.
 */
export type Aggregate = 'sum' | 'rate' | 'mean' | 'max' | 'min';

type MeterTypeRow = { readonly name: string; readonly fold: Aggregate | null };

/** The specification's meter types by number. `fold` is null if ranking is meaningless. */
const METER_TYPES = [
  { name: 'VT_INVALID', fold: null },
  { name: 'VT_RATE_COUNTER_WITH_SLIDING_WINDOW', fold: 'rate' },
  { name: 'VT_COUNTER', fold: 'sum' },
  { name: 'VT_COUNTER_WITH_SLIDING_WINDOW', fold: 'sum' },
  { name: 'VT_RATE_COUNTER', fold: 'rate' },
  { name: 'VT_GAUGE', fold: 'mean' },
  { name: 'VT_GAUGE_MIN_MAX_AVG', fold: 'mean' },
  { name: 'VT_AUTO', fold: 'mean' },
  { name: 'VT_RUNNING_COUNTER', fold: 'max' },
  { name: 'VT_AVERAGE', fold: 'mean' },
  { name: 'VT_DELTA_RATE_COUNTER', fold: 'rate' },
  { name: 'VT_MAX', fold: 'max' },
  { name: 'VT_MIN', fold: 'min' },
] as const satisfies readonly MeterTypeRow[];

export type MeterTypeName = (typeof METER_TYPES)[number]['name'];

export const METER_TYPE_NAMES: readonly MeterTypeName[] = METER_TYPES.map((row) => row.name);

export const meterTypeName = (type: number): MeterTypeName =>
  METER_TYPES[type]?.name ?? 'VT_INVALID';

/** The rule by which readings of this type combine; null for type 0, which cannot be ranked. */
export const aggregateOf = (type: number): Aggregate | null => METER_TYPES[type]?.fold ?? null;

/** Counters and rate counters: a missing reading is zero, and an all-zero key is not listed. */
export const isCounting = (fold: Aggregate): fold is 'sum' | 'rate' =>
  fold === 'sum' || fold === 'rate';
