import type { Connection } from '../../connection/connection.ts';

export type DatedSlices = {
  readonly sliceIds: readonly number[];
  /** Now, in epoch seconds. */
  readonly at: number;
};

/**
 * Records that the coverage widened by this transaction is committed now. An import may have begun
 * long ago, and alerts depend on when its readings arrived.
 */
export const dateCoverage = (connection: Connection, { sliceIds, at }: DatedSlices) =>
  connection.query(
    `update coverage set committed_at = to_timestamp($2),
       newest_at = case newest_at when now() then to_timestamp($2) else newest_at end
     where slice_id = any($1::int[]) and committed_at = now()`,
    [sliceIds, at],
  );
