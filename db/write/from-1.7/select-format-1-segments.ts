import type { Connection } from '../../connection/connection.ts';

/** A slice with segments of format 1. */
export type Format1Slice = {
  readonly contextId: number;
  readonly context: string;
  readonly sliceId: number;
  /** Epoch seconds. Null, as its engine, if segments are left of a slice that is gone. */
  readonly startsAt: number | null;
  readonly engine: number | null;
  /** The size of its segments. */
  readonly sizeBytes: number;
};

/** SQL: whether a row of the manifest is a segment of format 1. */
const IS_FORMAT_1 = `substr(directory, 1, 1) in ('\\x01', '\\x02')`;

/** Selects the slices with segments of format 1, those of a context in order of time. */
export async function selectFormat1Slices(connection: Connection): Promise<Format1Slice[]> {
  const { rows } = await connection.query<Format1Slice>(
    `select s.context_id as "contextId", c.name as context, s.slice_id as "sliceId",
       l.starts_at::float8 as "startsAt", l.engine::int as engine,
       sum(s.size_bytes)::float8 as "sizeBytes"
     from segments s join contexts c using (context_id)
     left join slices l using (slice_id)
     where s.died is null and ${IS_FORMAT_1}
     group by s.context_id, c.name, s.slice_id, l.starts_at, l.engine
     order by s.context_id, l.starts_at nulls first, l.engine, s.slice_id`,
  );
  return rows;
}

/** A segment of format 1. Times in epoch seconds. */
export type Format1Row = {
  readonly segmentId: number;
  readonly groupId: number;
  readonly probeId: number;
  readonly sliceId: number;
  readonly level: number;
  readonly importedAt: number;
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly directory: Uint8Array;
};

/** Selects the segments of format 1 of a slice, the oldest first. */
export async function selectFormat1Segments(
  connection: Connection,
  { contextId, sliceId }: Pick<Format1Slice, 'contextId' | 'sliceId'>,
): Promise<Format1Row[]> {
  const { rows } = await connection.query<Format1Row>(
    `select segment_id::float8 as "segmentId", group_id as "groupId", probe_id as "probeId",
       slice_id as "sliceId", level::int as level,
       floor(extract(epoch from imported_at))::float8 as "importedAt",
       row_count::float8 as "rowCount", size_bytes::float8 as "sizeBytes", directory
     from segments
     where context_id = $1 and slice_id = $2 and died is null and ${IS_FORMAT_1}
     order by segment_id`,
    [contextId, sliceId],
  );
  return rows;
}
