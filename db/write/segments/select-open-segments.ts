import { SEALED_LEVEL } from '../../../domain/slices/segment-level.ts';
import type { Connection } from '../../connection/connection.ts';

/** A live segment below the sealed level. Times in epoch seconds. */
export type OpenSegmentRow = {
  segmentId: number;
  groupId: number;
  probeId: number;
  sliceId: number;
  level: number;
  firstBucket: number;
  lastBucket: number;
  sizeBytes: number;
  importedAt: number;
  /** When its slice ends; null: there is no such slice. */
  endsAt: number | null;
};

/**
 * Selects the live segments of a context that may be merged sooner or later, without their
 * directories.
 */
export async function selectOpenSegments(
  connection: Connection,
  contextId: number,
): Promise<OpenSegmentRow[]> {
  const { rows } = await connection.query<OpenSegmentRow>(
    `select s.segment_id::float8 as "segmentId", s.group_id as "groupId", s.probe_id as "probeId",
       s.slice_id as "sliceId", s.level::int as level, s.first_bucket::float8 as "firstBucket",
       s.last_bucket::float8 as "lastBucket", s.size_bytes::float8 as "sizeBytes",
       extract(epoch from s.imported_at)::float8 as "importedAt", l.ends_at::float8 as "endsAt"
     from segments s left join slices l using (slice_id)
     where s.context_id = $1 and s.died is null and s.level < ${SEALED_LEVEL}
     order by s.segment_id`,
    [contextId],
  );
  return rows;
}
