/**
 * The cost of a part of an operation. Below a topper it depends on the topper's window and number
 * of keys. They are known only at the topper, and a fragment may be spread below several toppers.
 * So a cost is stored as the coefficients of these two, and that of a fragment is computed once.
 */
export type Cost = {
  readonly fixed: number;
  /** For each day of the enclosing window. */
  readonly perDay: number;
  /** For each key of the enclosing topper. */
  readonly perKey: number;
  readonly perKeyAndDay: number;
  /** If the enclosing topper has a filter. */
  readonly ifFiltered: number;
  /** The largest number of ids in one `nodes`. */
  readonly nodeIds: number;
  /** The largest number of ranks in one `percentiles`. */
  readonly ranks: number;
};

export const NO_COST: Cost = {
  fixed: 0,
  perDay: 0,
  perKey: 0,
  perKeyAndDay: 0,
  ifFiltered: 0,
  nodeIds: 0,
  ranks: 0,
};

export const plus = (a: Cost, b: Cost): Cost => ({
  fixed: a.fixed + b.fixed,
  perDay: a.perDay + b.perDay,
  perKey: a.perKey + b.perKey,
  perKeyAndDay: a.perKeyAndDay + b.perKeyAndDay,
  ifFiltered: a.ifFiltered + b.ifFiltered,
  nodeIds: Math.max(a.nodeIds, b.nodeIds),
  ranks: Math.max(a.ranks, b.ranks),
});
