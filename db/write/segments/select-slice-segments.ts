import type { Connection } from '../../connection/connection.ts';
import type { NewSegmentRow } from './insert-segments.ts';

/** A live segment of a slice, without its directory. */
export type SliceSegmentRow = Omit<NewSegmentRow, 'directory'>;

/** Selects the live segments of a slice, in the order of their ids. Times in epoch seconds. */
export async function selectSliceSegments(
  connection: Connection,
  sliceId: number,
): Promise<SliceSegmentRow[]> {
  const { rows } = await connection.query<SliceSegmentRow>(
    `select segment_id::float8 as "segmentId", group_id as "groupId", probe_id as "probeId",
       slice_id as "sliceId", level::int as level, first_bucket::float8 as "firstBucket",
       last_bucket::float8 as "lastBucket", key_count::float8 as "keyCount",
       row_count::float8 as "rowCount", page_count as "pageCount",
       size_bytes::float8 as "sizeBytes", extract(epoch from imported_at)::float8 as "importedAt"
     from segments where slice_id = $1 and died is null order by segment_id`,
    [sliceId],
  );
  return rows;
}

/** Selects the directory of a segment of the manifest. */
export async function selectDirectory(
  connection: Connection,
  segmentId: number,
): Promise<Uint8Array> {
  const { rows } = await connection.query<{ directory: Buffer }>(
    'select directory from segments where segment_id = $1',
    [segmentId],
  );
  const [row] = rows;
  if (!row) throw new Error(`segment ${segmentId} must be in the manifest`);
  return row.directory;
}
