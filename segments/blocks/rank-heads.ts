import { approximate, type Lanes, laneValue, setWide, wideLanes } from '../codes/lanes.ts';
import { type KeyList, keyAt } from '../keys/key-list.ts';
import { HEAD_KEYS, type StoredHead } from './heads.ts';

/** The largest keys of a block of a segment, by a counter. */
export type RankedHead = {
  /** Number of keys whose reading is not zero. */
  readonly keyCount: number;
  /** The sum of all keys. */
  readonly total: bigint;
  /** The `HEAD_KEYS` largest keys, largest first; of equal ones the smaller first. */
  readonly keys: readonly Uint8Array[];
  /** Their values, in the order of the keys. */
  readonly values: Lanes;
};

/** A key of a head; `approx` is its value as a double. */
type Candidate = { readonly head: StoredHead; readonly place: number; readonly approx: number };

/** Joins the heads of a block in the ranges of a segment, in their order. */
export function rankHeads(heads: readonly StoredHead[]): RankedHead {
  const candidates = heads.flatMap((head) =>
    Array.from({ length: head.keys.count }, (_, place): Candidate => {
      return { head, place, approx: approximate(head.values, place) };
    }),
  );
  // Sorting keeps the order of equal ones, which is that of the keys.
  const largest = candidates
    .sort((a, b) => b.approx - a.approx || compareExactly(b, a))
    .slice(0, HEAD_KEYS);
  const values = wideLanes(largest.length);
  for (const [i, { head, place }] of largest.entries()) {
    setWide(values, i, laneValue(head.values, place));
  }
  return {
    keyCount: heads.reduce((sum, { keyCount }) => sum + keyCount, 0),
    total: heads.reduce((sum, { total }) => sum + laneValue(total, 0), 0n),
    keys: largest.map(({ head, place }) => copyOf(head.keys, place)),
    values,
  };
}

/** Doubles of exact numbers that differ may be equal only if the numbers are wide. */
function compareExactly(a: Candidate, b: Candidate): number {
  if (a.head.values.high === null && b.head.values.high === null) return 0;
  const difference = laneValue(a.head.values, a.place) - laneValue(b.head.values, b.place);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

/** A view would keep the keys of its whole range in memory. */
const copyOf = (keys: KeyList, place: number): Uint8Array => keyAt(keys, place).slice();
