import {
  approximate,
  type Lanes,
  laneValue,
  NARROW_BOUND,
  narrowLanes,
  setWide,
  wideLanes,
} from '../codes/lanes.ts';
import { keyAt } from '../keys/key-list.ts';
import { HEAD_KEYS, type StoredHead } from './heads.ts';

/** The largest keys of a block of a segment, by a counter. */
export type RankedHead = {
  /** Number of keys whose reading is not zero. */
  readonly keyCount: number;
  /** The sum of all keys. */
  readonly total: bigint;
  /**
   * The `HEAD_KEYS` largest keys, largest first; of equal ones the smaller first. Key i has the
   * bytes from `ends[i - 1]` (0 for the first) to before `ends[i]`.
   */
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  /** Their values, in the order of the keys. */
  readonly values: Lanes;
};

/** A key of a head; `approx` is its value as a double. */
type Candidate = { readonly head: StoredHead; readonly index: number; readonly approx: number };

/** Joins the heads of a block in the ranges of a segment, in their order. */
export function rankHeads(heads: readonly StoredHead[]): RankedHead {
  const candidates = heads.flatMap((head) =>
    Array.from({ length: head.keys.count }, (_, index): Candidate => {
      return { head, index, approx: approximate(head.values, index) };
    }),
  );
  // Sorting keeps the order of equal ones, which is that of the keys.
  const largest = candidates
    .sort((a, b) => b.approx - a.approx || compareExactly(b, a))
    .slice(0, HEAD_KEYS);
  return {
    keyCount: heads.reduce((sum, { keyCount }) => sum + keyCount, 0),
    total: heads.reduce((sum, { total }) => sum + laneValue(total, 0), 0n),
    ...packKeys(largest),
    values: lanesOf(largest),
  };
}

/** Copies the keys, because views would keep the keys of whole ranges in memory. */
function packKeys(largest: readonly Candidate[]): Pick<RankedHead, 'bytes' | 'ends'> {
  const keys = largest.map(({ head, index }) => keyAt(head.keys, index));
  const ends = new Uint32Array(keys.length);
  let end = 0;
  for (const [i, key] of keys.entries()) {
    end += key.length;
    ends[i] = end;
  }
  return { bytes: new Uint8Array(Buffer.concat(keys)), ends };
}

/** Returns the bytes of a key of a head. */
export const rankedKeyAt = ({ bytes, ends }: RankedHead, rank: number): Uint8Array =>
  bytes.subarray(rank === 0 ? 0 : ends[rank - 1], ends[rank]);

/** Doubles of exact numbers that differ may be equal only if the numbers are wide. */
function compareExactly(a: Candidate, b: Candidate): number {
  if (a.head.values.high === null && b.head.values.high === null) return 0;
  const difference = laneValue(a.head.values, a.index) - laneValue(b.head.values, b.index);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

function lanesOf(largest: readonly Candidate[]): Lanes {
  if (largest.every(({ approx }) => Math.abs(approx) < NARROW_BOUND)) {
    const narrow = narrowLanes(largest.length);
    for (const [i, { approx }] of largest.entries()) narrow.low[i] = approx;
    return narrow;
  }
  const wide = wideLanes(largest.length);
  for (const [i, { head, index }] of largest.entries()) {
    setWide(wide, i, laneValue(head.values, index));
  }
  return wide;
}
