import type { Connection } from '../../connection/connection.ts';

/**
 * A row of the manifest, without the layout numbers of its birth and death. Times in epoch seconds.
 */
export type NewSegmentRow = {
  readonly segmentId: number;
  readonly groupId: number;
  /** 0: no probe. */
  readonly probeId: number;
  readonly sliceId: number;
  readonly level: number;
  readonly firstBucket: number;
  readonly lastBucket: number;
  readonly keyCount: number;
  readonly rowCount: number;
  readonly pageCount: number;
  /** The size of its pages and directory. */
  readonly sizeBytes: number;
  /**
   * When the last of its readings were imported, in whole seconds. This determines where its pages
   * are.
   */
  readonly importedAt: number;
  readonly directory: Uint8Array;
  /** The segments that a roll-up was made of. */
  readonly sources?: readonly number[];
};

export type SegmentBirth = {
  readonly contextId: number;
  /** A layout number of the context. */
  readonly born: number;
};

/** Adds segments, whose pages are already stored, to the manifest. */
export async function insertSegments(
  connection: Connection,
  { contextId, born }: SegmentBirth,
  rows: readonly NewSegmentRow[],
): Promise<void> {
  const column = <T>(of: (row: NewSegmentRow) => T): T[] => rows.map(of);
  await connection.query(
    `insert into segments (context_id, born, segment_id, group_id, probe_id, slice_id,
       level, first_bucket, last_bucket, key_count, row_count, page_count, size_bytes,
       directory, imported_at, sources)
     select $1, $2, s.segment_id, s.group_id, s.probe_id, s.slice_id, s.level, s.first_bucket,
       s.last_bucket, s.key_count, s.row_count, s.page_count, s.size_bytes, s.directory,
       to_timestamp(s.imported_at), s.sources::bigint[]
     from unnest($3::bigint[], $4::int[], $5::int[], $6::int[], $7::smallint[], $8::bigint[],
       $9::bigint[], $10::bigint[], $11::bigint[], $12::int[], $13::bigint[], $14::bytea[],
       $15::bigint[], $16::text[])
       as s(segment_id, group_id, probe_id, slice_id, level, first_bucket, last_bucket, key_count,
         row_count, page_count, size_bytes, directory, imported_at, sources)`,
    [
      contextId,
      born,
      column(({ segmentId }) => segmentId),
      column(({ groupId }) => groupId),
      column(({ probeId }) => probeId),
      column(({ sliceId }) => sliceId),
      column(({ level }) => level),
      column(({ firstBucket }) => firstBucket),
      column(({ lastBucket }) => lastBucket),
      column(({ keyCount }) => keyCount),
      column(({ rowCount }) => rowCount),
      column(({ pageCount }) => pageCount),
      column(({ sizeBytes }) => sizeBytes),
      column(({ directory }) => Buffer.from(directory)),
      column(({ importedAt }) => importedAt),
      column(({ sources }) => (sources === undefined ? null : `{${sources.join()}}`)),
    ],
  );
}
