import type { Connection } from '../../connection/connection.ts';

export type DatedSlices = {
  readonly sliceIds: readonly number[];
  /** Now, in epoch seconds. */
  readonly at: number;
};

/**
 * Records that the coverage widened by this transaction is committed now. An import may have begun
 * long ago, and alerts depend on when its readings arrived. A clock that is ahead must not hide
 * that none arrive any more.
 */
export const dateCoverage = (connection: Connection, { sliceIds, at }: DatedSlices) =>
  connection.query(
    `update coverage set committed_at = committed.at,
       newest_at = case newest_at when now() then committed.at else newest_at end
     from (select least(to_timestamp($2), clock_timestamp()) as at) committed
     where slice_id = any($1::int[]) and committed_at = now()`,
    [sliceIds, at],
  );
