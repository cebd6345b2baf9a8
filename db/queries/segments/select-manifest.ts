import { CopyReader } from '../../copy-reader.ts';
import { copyInteger as integer } from '../../copy-text.ts';
import type { CopySource } from '../../session/copy-source.ts';
import type { TimeBound } from '../../session/read-session.ts';
import type { NewSegmentRow } from '../../write/segments/insert-segments.ts';

/** A live segment. The directory is a view of the buffer with all that was read. */
export type SegmentRow = Omit<NewSegmentRow, 'sources'> & {
  /** The layout number at which the segment was added. */
  readonly born: number;
  /** The segments that a roll-up was made of; null: a segment of readings. */
  readonly sources: readonly number[] | null;
};

export type ManifestRows = {
  readonly version: number;
  readonly layout: number;
  /** Whether `born` has all live segments, and not only those added since. */
  readonly isWhole: boolean;
  readonly born: readonly SegmentRow[];
  /** The segments that were live at the layout asked about, and no longer are. */
  readonly died: readonly number[];
};

export type ManifestQuestion = {
  readonly contextId: number;
  /** The layout number of the known manifest; 0: none is known. */
  readonly since: number;
};

/**
 * Selects what was added to and removed from a context's manifest since a layout number, in one
 * statement; 0: everything. All live segments are also returned if the removals cannot be
 * determined: they were swept, or the number is from the future, because it was read from another
 * node or in a later snapshot. Null: no such context.
 */
export async function selectManifest(
  source: CopySource,
  question: ManifestQuestion,
  bound?: TimeBound | null,
): Promise<ManifestRows | null> {
  const text = copyText(question);
  const reader = new CopyReader(await source.copy({ query: 'select-manifest', text }, bound));
  let numbers: Pick<ManifestRows, 'version' | 'layout' | 'isWhole'> | null = null;
  const born: SegmentRow[] = [];
  const died: number[] = [];
  while (reader.next()) {
    const version = reader.integer();
    const layout = reader.integer();
    numbers = { version, layout, isWhole: reader.integer() === 1 };
    const what = reader.integer();
    // It is then the only row, and its other columns are null.
    if (what === NOTHING) break;
    const row = readRow(reader);
    if (what === BORN) born.push(row);
    else died.push(row.segmentId);
  }
  return numbers && { ...numbers, born, died };
}

const NOTHING = 0;
const BORN = 1;
const DIED = 2;

// In the order of readRow.
const COLUMNS = `segment_id, group_id, probe_id, slice_id, level, first_bucket, last_bucket,
  key_count, row_count, page_count, size_bytes, born, extract(epoch from imported_at)::bigint`;
const SOURCES = `array_to_string(sources, ' ')`;

const BORN_ROW = `select ${BORN} as what, ${COLUMNS} as imported_at, ${SOURCES} as sources,
  directory from segments`;

/** A context without changes has one row, with only the numbers. */
const copyText = ({ contextId, since }: ManifestQuestion): string => `copy (
  select v.version, v.layout, v.is_whole::int, coalesce(s.what, ${NOTHING}), s.segment_id,
    s.group_id, s.probe_id, s.slice_id, s.level, s.first_bucket, s.last_bucket, s.key_count,
    s.row_count, s.page_count, s.size_bytes, s.born, s.imported_at, s.sources, s.directory
  from (
    select version, layout, swept_to > ${integer(since)} or layout < ${integer(since)}
      or ${integer(since)} = 0 as is_whole
    from context_versions where context_id = ${integer(contextId)} offset 0
  ) v
  left join lateral (
    ${since === 0 ? liveText(contextId) : changesText(contextId, since)}
  ) s on true
) to stdout (format binary)`;

const liveText = (contextId: number): string =>
  `${BORN_ROW} where context_id = ${integer(contextId)} and died is null`;

/**
 * The live segments or the changes. Each part has an index of its own, and is not run if its
 * condition on the numbers does not hold.
 */
const changesText = (contextId: number, since: number): string => `
    ${liveText(contextId)} and v.is_whole
    union all
    ${BORN_ROW}
    where not v.is_whole and context_id = ${integer(contextId)} and born > ${integer(since)}
      and died is null
    union all
    select ${DIED}, ${COLUMNS}, null, null from segments
    where not v.is_whole and context_id = ${integer(contextId)} and died > ${integer(since)}
      and born <= ${integer(since)}`;

const readRow = (reader: CopyReader): SegmentRow => ({
  segmentId: reader.integer(),
  groupId: reader.integer(),
  probeId: reader.integer(),
  sliceId: reader.integer(),
  level: reader.integer(),
  firstBucket: reader.integer(),
  lastBucket: reader.integer(),
  keyCount: reader.integer(),
  rowCount: reader.integer(),
  pageCount: reader.integer(),
  sizeBytes: reader.integer(),
  born: reader.integer(),
  importedAt: reader.integer(),
  sources: readSources(reader.bytes().toString('latin1')),
  directory: reader.bytes(),
});

const readSources = (text: string): number[] | null =>
  text === '' ? null : text.split(' ').map(Number);
