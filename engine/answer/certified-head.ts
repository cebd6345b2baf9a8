import type { Exact } from '../../domain/toppers/exact.ts';
import { laneValue, NARROW_BOUND } from '../../segments/codes/lanes.ts';
import { type RankedHead, rankedKeyAt } from '../../segments/heads/head.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import type { UnitColumn } from '../kernel/aggregate/unit-column.ts';
import { rowOf } from '../kernel/blocks/segment-series.ts';
import type { TopKeys } from '../plan/key-questions.ts';

/*
 * A window near the whole span of a segment is that span less its edges. For its largest keys, the
 * head of the span and the exact values of the edges are often enough. A key of the head has its
 * value in the head less those in the edges. Any other key has at most the last value of the head,
 * and no more in the window, because readings of counters are not negative. So if the last listed
 * key has more than that, no other key can be listed: the answer is *certified*. Its total is that
 * of the span less those of the edges. How many keys the window has stays unknown: a key may have
 * readings in the edges only.
 */

/** A block of an edge. sign: −1 for one that is subtracted. */
export type EdgeUnit = {
  readonly ids: Uint32Array;
  readonly column: UnitColumn;
  readonly sign: 1 | -1;
  /**
   * From the segment of the head down to that of the block: by ordinal of a source, its ordinal in
   * the roll-up; ascending. Empty if the block is of the head's own segment.
   */
  readonly maps: readonly Uint32Array[];
};

/** A key of a head, and its value in the window. */
type Candidate = { readonly rank: number; readonly ordinal: number; readonly value: bigint };

export type Certified = {
  /** By value, largest first; of equal ones the smaller key first (decision 24). No zeros. */
  readonly candidates: readonly Candidate[];
  /** No other key has more; 0: there are no others. */
  readonly bound: bigint;
  readonly total: bigint;
};

/** Computes the values of a head's keys, and the total, in the span less its edges. */
export function withoutEdges(head: RankedHead, edges: readonly EdgeUnit[]): Certified {
  const candidates: Candidate[] = [];
  const count = head.ordinals.length;
  for (let rank = 0; rank < count; rank += 1) {
    const ordinal = head.ordinals[rank] as number;
    let value = laneValue(head.values, rank);
    for (const edge of edges) value += valueIn(edge, ordinal);
    if (value > 0n) candidates.push({ rank, ordinal, value });
  }
  candidates.sort((a, b) => compare(b.value, a.value) || a.ordinal - b.ordinal);
  const edgeTotal = edges.reduce((sum, { column, sign }) => sum + BigInt(sign) * sumOf(column), 0n);
  const bound = count < head.keyCount ? laneValue(head.values, count - 1) : 0n;
  return { candidates, bound, total: head.total + edgeTotal };
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the value of a key of the head in an edge, with its sign. */
function valueIn({ ids, column: { values }, sign, maps }: EdgeUnit, ordinal: number): bigint {
  let own = ordinal;
  for (const map of maps) {
    own = rowOf(map, own);
    if (own < 0) return 0n;
  }
  const row = rowOf(ids, own);
  return row < 0 || Number.isNaN(values.low[row]) ? 0n : BigInt(sign) * laneValue(values, row);
}

function sumOf({ values, bound }: UnitColumn): bigint {
  const { low, high } = values;
  if (high === null && bound < NARROW_BOUND) {
    let sum = 0;
    for (let row = 0; row < low.length; row += 1) {
      const value = low[row] as number;
      sum += Number.isNaN(value) ? 0 : value;
    }
    return BigInt(sum);
  }
  let sum = 0n;
  for (let row = 0; row < low.length; row += 1) {
    if (!Number.isNaN(low[row])) sum += laneValue(values, row);
  }
  return sum;
}

/** The head of the candidates, and the names of its keys. */
type NamedHead = { readonly head: RankedHead; readonly codec: KeyCodec };

/** Returns the largest keys; null: they are not certified. */
export function certifiedTop(
  { candidates, bound, total }: Certified,
  maxItems: number,
  { head, codec }: NamedHead,
): TopKeys | null {
  const last = candidates[maxItems - 1];
  if (bound > 0n && !(last && last.value > bound)) return null;
  const listed = candidates.slice(0, maxItems).map(({ rank, value }) => ({
    key: codec.decode(rankedKeyAt(head, rank)),
    value: exactOf(value),
  }));
  const rest = listed.reduce((sum, { value }) => sum - value.sum, total);
  const others = rest === 0n ? null : exactOf(rest);
  return {
    kind: 'top',
    listed,
    total: total === 0n ? null : exactOf(total),
    others,
    othersMatching: others,
    keyCount: bound === 0n ? candidates.length : null,
  };
}

const exactOf = (sum: bigint): Exact => ({ sum, count: 1n });
