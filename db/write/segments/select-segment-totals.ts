import type { Connection } from '../../connection/connection.ts';

/** Totals of the live segments of readings of a context or slice. */
export type SegmentTotals = {
  segments: number;
  /** One per key and bucket of each segment. */
  rows: number;
  /** The size of their pages and directories. */
  bytes: number;
};

const SUMS = `count(*)::float8 as segments, coalesce(sum(row_count), 0)::float8 as rows,
  coalesce(sum(size_bytes), 0)::float8 as bytes`;

export async function selectSegmentTotals(
  connection: Connection,
  contextId: number,
): Promise<SegmentTotals> {
  const { rows } = await connection.query<SegmentTotals>(
    `select ${SUMS} from segments
     where context_id = $1 and died is null and sources is null`,
    [contextId],
  );
  return rows[0] ?? { segments: 0, rows: 0, bytes: 0 };
}

/** Selects the totals of the slices of a context that have live segments, by slice_id. */
export async function selectSliceTotals(
  connection: Connection,
  contextId: number,
): Promise<Map<number, SegmentTotals>> {
  const { rows } = await connection.query<SegmentTotals & { sliceId: number }>(
    `select slice_id as "sliceId", ${SUMS} from segments
     where context_id = $1 and died is null and sources is null group by slice_id`,
    [contextId],
  );
  return new Map(rows.map(({ sliceId, ...totals }) => [sliceId, totals]));
}
