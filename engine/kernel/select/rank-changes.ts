import type { Sliced } from '../../../domain/sliced.ts';
import { compareExact, type Exact, NO_READING } from '../../../domain/toppers/exact.ts';
import { kthLargest } from '../../../domain/toppers/kth-largest.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { type Lanes, NARROW_BOUND } from '../../../segments/codes/lanes.ts';
import type { Aggregated } from '../aggregate/aggregate-blocks.ts';
import {
  giveBackLanes,
  giveBackRowArrays,
  takeLanes,
  takeRowArrays,
} from '../aggregate/scratch.ts';
import {
  approxOf,
  countedRows,
  exactValue,
  isCounted,
  isExactly,
  type KeyRows,
  ordinalOf,
  releaseRows,
  rowOf,
  SLACK,
} from './key-rows.ts';
import { type OrdinalSelection, releaseSelected, selectRows } from './select-rows.ts';
import { type Totals, totalsOfRows, valuedOrdinals } from './totals.ts';

/**
 * growth: keys with a larger value now than then, by the difference. decline: keys with a smaller
 * value, by the difference, including keys without a reading now. new: keys without a reading then,
 * by their value now. A key without a reading has the value 0.
 */
export type Change = 'growth' | 'decline' | 'new';

export type ChangeQuestion = OrdinalSelection & {
  readonly change: Change;
  readonly maxItems: number;
};

/** The values of a key in both windows; null: it has no reading there. */
type ChangedKey = {
  readonly ordinal: number;
  readonly now: Exact | null;
  readonly before: Exact | null;
};

/** listed: in the order of their change; equal ones in the order of ordinals. */
export type ChangeAnswer = {
  readonly listed: readonly ChangedKey[];
  /** Number of keys that changed this way. */
  readonly keyCount: number;
} & Totals;

type TwoWindows = { readonly now: Aggregated; readonly before: Aggregated };

/**
 * Ranks keys by how they changed from one window to another. Doubles decide if they are far enough
 * apart; otherwise the values are compared exactly.
 */
export function* rankChanges(
  windows: TwoWindows,
  questions: readonly ChangeQuestion[],
): Sliced<ChangeAnswer[]> {
  // In the order of ordinals, so that look-ups in the other window ascend too.
  const now = ascending(windows.now);
  const before = ascending(windows.before);
  const all = countedRows(now);
  const answers: ChangeAnswer[] = [];
  for (const question of questions) {
    answers.push(answerChange({ now, before }, question, all));
    yield;
  }
  releaseRows(all);
  return answers;
}

const ascending = (aggregated: Aggregated): Aggregated =>
  aggregated.touched === null
    ? aggregated
    : { ...aggregated, touched: aggregated.touched.slice().sort() };

function answerChange(windows: TwoWindows, question: ChangeQuestion, all: KeyRows): ChangeAnswer {
  const { now, before } = windows;
  const selected = selectRows(now, question, () => all);
  const isNew = question.change === 'new';
  let changed: ChangedKeys;
  if (question.change === 'decline') {
    const allBefore = countedRows(before);
    const selectedBefore = selectRows(before, question, () => allBefore);
    changed = changedKeys({ own: before, other: now, rows: selectedBefore.passed, isNew });
    if (!isCounting(now.aggregate)) {
      const fresh = { own: now, other: before, rows: selected.passed, isNew: true };
      changed = withFallen(changed, changedKeys(fresh));
    }
    releaseSelected(selectedBefore);
    releaseRows(allBefore);
  } else {
    changed = changedKeys({ own: now, other: before, rows: selected.passed, isNew });
  }
  const ordinals = largestChanges(changed, question.maxItems);
  giveBackRowArrays({ rows: changed.ordinals, approx: changed.approx });
  const listed = ordinals.map((ordinal) => ({
    ordinal,
    now: exactIn(now, ordinal),
    before: exactIn(before, ordinal),
  }));
  const rows = ordinals.flatMap((ordinal) => rowOf(now, ordinal) ?? []);
  const isListed = new Set(rows);
  const found = totalsOfRows(now, selected, {
    listed: valuedOrdinals(now, rows),
    isOther: (row) => !isListed.has(row),
  });
  releaseSelected(selected);
  return { listed, keyCount: changed.length, ...found };
}

function exactIn(aggregated: Aggregated, ordinal: number): Exact | null {
  const row = rowOf(aggregated, ordinal);
  return row === null ? null : exactValue(aggregated, row);
}

/** Two windows, one of which has a smaller value than the other, or none. */
type Comparison = {
  readonly own: Aggregated;
  readonly other: Aggregated;
  /** Of `own`, ascending. */
  readonly rows: KeyRows;
  /** Only keys that the other window lacks. */
  readonly isNew: boolean;
};

/**
 * The first `length` ordinals are keys with more in their own window, `approx` their differences.
 * slack: the maximum error of each; null: all are exact.
 */
type ChangedKeys = {
  readonly ordinals: Uint32Array;
  readonly approx: Float64Array;
  readonly slack: Float64Array | null;
  readonly length: number;
  /** The exact difference. */
  readonly changeOf: (ordinal: number) => Exact;
};

function changedKeys(comparison: Comparison): ChangedKeys {
  const { own, other, rows, isNew } = comparison;
  const { rows: ordinals, approx } = takeRowArrays(rows.length);
  const changeOf = (ordinal: number): Exact =>
    difference(exactIn(own, ordinal), exactIn(other, ordinal));
  if (isNarrowCounter(own) && isNarrowCounter(other)) {
    const length = takeChangedCounters(comparison, { ordinals, approx });
    return { ordinals, approx, slack: null, length, changeOf };
  }
  const slack = new Float64Array(rows.length);
  const isExact = isExactly(own) && isExactly(other);
  const approxIn = approxFinder(other);
  let length = 0;
  for (let i = 0; i < rows.length; i += 1) {
    const ordinal = ordinalOf(own, rows.rows[i] as number);
    const found = approxIn(ordinal);
    if (isNew && !Number.isNaN(found)) continue;
    const value = rows.approx[i] as number;
    const subtract = Number.isNaN(found) ? 0 : found;
    const size = Math.abs(value) + Math.abs(subtract);
    const change = value - subtract;
    const off = isExact && size < NARROW_BOUND ? 0 : size * SLACK;
    const isMore = Math.abs(change) > off ? change > 0 : off > 0 && changeOf(ordinal).sum > 0n;
    if (!isNew && !isMore) continue;
    ordinals[length] = ordinal;
    approx[length] = change;
    slack[length] = off;
    length += 1;
  }
  return { ordinals, approx, slack, length, changeOf };
}

/** Adds the new keys that are below 0 to those that declined, in the order of their ordinals. */
function withFallen(declined: ChangedKeys, fresh: ChangedKeys): ChangedKeys {
  const maxCount = declined.length + fresh.length;
  const { rows: ordinals, approx } = takeRowArrays(maxCount);
  const slack = new Float64Array(maxCount);
  let length = 0;
  const append = (from: ChangedKeys, index: number, change: number): void => {
    ordinals[length] = from.ordinals[index] as number;
    approx[length] = change;
    slack[length] = from.slack?.[index] ?? 0;
    length += 1;
  };
  let next = 0;
  for (let i = 0; i < fresh.length; i += 1) {
    const value = fresh.approx[i] as number;
    if (value >= 0) continue;
    const ordinal = fresh.ordinals[i] as number;
    for (; next < declined.length && (declined.ordinals[next] as number) < ordinal; next += 1) {
      append(declined, next, declined.approx[next] as number);
    }
    append(fresh, i, -value);
  }
  for (; next < declined.length; next += 1) {
    append(declined, next, declined.approx[next] as number);
  }
  for (const { ordinals: rows, approx: changes } of [declined, fresh]) {
    giveBackRowArrays({ rows, approx: changes });
  }
  return { ...declined, ordinals, approx, slack, length };
}

/** Counters are not negative, so the difference of two that doubles hold is exact. */
const isNarrowCounter = ({ aggregate, values }: Aggregated): boolean =>
  isCounting(aggregate) && values.high === null;

/** The common case, a loop over plain arrays. Returns the number of changed keys. */
function takeChangedCounters(
  { own, other, rows, isNew }: Comparison,
  { ordinals, approx }: Pick<ChangedKeys, 'ordinals' | 'approx'>,
): number {
  const { ordinals: ofRow } = own;
  const lanes =
    other.ordinals === null ? other.values : lanesByOrdinal(other.ordinals, other.values);
  const { low } = lanes;
  let length = 0;
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows.rows[i] as number;
    const ordinal = ofRow === null ? row : (ofRow[row] as number);
    // Of a counter, 0 and NaN mean no reading.
    const before = ordinal < low.length ? (low[ordinal] as number) || 0 : 0;
    const value = rows.approx[i] as number;
    // Written unconditionally, as in `countedRows`.
    ordinals[length] = ordinal;
    approx[length] = value - before;
    length += (isNew ? before === 0 : value > before) ? 1 : 0;
  }
  if (other.ordinals !== null) giveBackLanes(lanes, null);
  return length;
}

function lanesByOrdinal(ordinals: Uint32Array, { low }: Lanes): Lanes {
  const lanes = takeLanes((ordinals.at(-1) ?? -1) + 1, false);
  for (let row = 0; row < ordinals.length; row += 1) {
    lanes.low[ordinals[row] as number] = low[row] as number;
  }
  return lanes;
}

/** For means too: a fraction minus a fraction. */
function difference(value: Exact | null, subtract: Exact | null): Exact {
  if (subtract === null) return value ?? NO_READING;
  if (value === null) return { sum: -subtract.sum, count: subtract.count };
  if (value.count === subtract.count) return { sum: value.sum - subtract.sum, count: value.count };
  return {
    sum: value.sum * subtract.count - subtract.sum * value.count,
    count: value.count * subtract.count,
  };
}

/** Finds the values of ascending ordinals as doubles. NaN: the key has no reading. */
function approxFinder(aggregated: Aggregated): (ordinal: number) => number {
  const { ordinals } = aggregated;
  if (ordinals !== null) {
    let next = 0;
    return (ordinal) => {
      while (next < ordinals.length && (ordinals[next] as number) < ordinal) next += 1;
      return ordinals[next] === ordinal && isCounted(aggregated, next)
        ? approxOf(aggregated, next)
        : Number.NaN;
    };
  }
  return (ordinal) => {
    const row = rowOf(aggregated, ordinal);
    return row === null ? Number.NaN : approxOf(aggregated, row);
  };
}

/** Returns the ordinals of the `limit` largest changes, largest first. */
function largestChanges(changed: ChangedKeys, limit: number): number[] {
  const { ordinals, approx, slack, length, changeOf } = changed;
  const cut = kthLargest(slack ? minChanges(approx, slack, length) : approx, length, limit);
  const near: { ordinal: number; approx: number; slack: number }[] = [];
  let equals = 0;
  for (let i = 0; i < length; i += 1) {
    const value = approx[i] as number;
    const off = slack ? (slack[i] as number) : 0;
    if (value + off < cut) continue;
    // Of the changes that equal the last one exactly, the first ones are enough.
    if (off === 0 && value === cut) {
      equals += 1;
      if (equals > limit) continue;
    }
    near.push({ ordinal: ordinals[i] as number, approx: value, slack: off });
  }
  near.sort((a, b) => {
    const apart = b.approx - a.approx;
    if (Math.abs(apart) > a.slack + b.slack) return apart;
    const isEqual = a.slack + b.slack === 0;
    return (
      (isEqual ? 0 : compareExact(changeOf(b.ordinal), changeOf(a.ordinal))) ||
      a.ordinal - b.ordinal
    );
  });
  return near.slice(0, limit).map(({ ordinal }) => ordinal);
}

function minChanges(approx: Float64Array, slack: Float64Array, length: number): Float64Array {
  const min = new Float64Array(length);
  for (let i = 0; i < length; i += 1) min[i] = (approx[i] as number) - (slack[i] as number);
  return min;
}
