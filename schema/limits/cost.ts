/**
 * What a part of an operation costs. What is below a topper depends on its window and on its number
 * of keys, which are known only where the topper is; a fragment may be spread below several. So a
 * cost is kept as the coefficients of these two, and a fragment's is computed once.
 */
export type Cost = {
  readonly fixed: number;
  /** For each day of the window around it. */
  readonly perDay: number;
  /** For each key of the topper around it. */
  readonly perKey: number;
  readonly perKeyAndDay: number;
  /** The most ids that one `nodes` has. */
  readonly nodeIds: number;
  /** The most ranks that one `percentiles` has. */
  readonly ranks: number;
};

export const NO_COST: Cost = {
  fixed: 0,
  perDay: 0,
  perKey: 0,
  perKeyAndDay: 0,
  nodeIds: 0,
  ranks: 0,
};

export const plus = (a: Cost, b: Cost): Cost => ({
  fixed: a.fixed + b.fixed,
  perDay: a.perDay + b.perDay,
  perKey: a.perKey + b.perKey,
  perKeyAndDay: a.perKeyAndDay + b.perKeyAndDay,
  nodeIds: Math.max(a.nodeIds, b.nodeIds),
  ranks: Math.max(a.ranks, b.ranks),
});
