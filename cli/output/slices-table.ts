import type { FeedLossCounts } from '../../db/sql/feeds.ts';
import { sliceStatus } from '../../domain/slices/slice-status.ts';
import { tagsOf } from '../../domain/slices/slice-tags.ts';
import type { NamedSlice } from '../../store/archive/archive-session.ts';
import type { SliceSegments } from '../../store/merge/waiting-segments.ts';
import { count, counted } from './counted.ts';
import { lostText } from './lost-text.ts';
import { type TextColumn, textTable } from './text-table.ts';

/** Segments by slice_id; an archived slice has none. */
export type SegmentsBySlice = ReadonlyMap<number, SliceSegments>;

/** What feeds failed to bring into each slice, by slice_id. */
export type LossesBySlice = ReadonlyMap<number, FeedLossCounts>;

/** What is known about slices besides their list. */
export type SliceFacts = {
  readonly segments: SegmentsBySlice;
  readonly losses: LossesBySlice;
};

/**
 * Returns a slice as `slices list --json` prints it: the fields of the GraphQL type, its segments,
 * what feeds failed to bring into it, and its archive.
 */
export const sliceFields = (slice: NamedSlice, now: number, { segments, losses }: SliceFacts) => ({
  sliceId: slice.sliceId,
  name: slice.name,
  engine: slice.engine,
  status: sliceStatus(slice, now),
  timeInterval: { from: slice.startsAt, to: slice.endsAt },
  diskSize: slice.sizeBytes,
  path: slice.path,
  available: !slice.archived,
  tags: tagsOf(slice),
  segments: segmentFields(segments.get(slice.sliceId)),
  losses: losses.get(slice.sliceId) ?? null,
  archive: slice.archive && {
    pool: slice.archive.pool,
    rows: slice.archive.rows,
    bytes: slice.archive.bytes,
    sha256: slice.archive.digest,
    archivedAt: slice.archive.archivedAt,
  },
});

const segmentFields = (of: SliceSegments | undefined) =>
  of ? { count: of.segments, samples: of.rows, bytes: of.bytes, waiting: of.waiting } : null;

type Column = Omit<TextColumn<NamedSlice>, 'cell'> & {
  readonly cell: (slice: NamedSlice, now: number) => string;
};

const COLUMNS: readonly Column[] = [
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'FROM (UTC)', cell: ({ startsAt }) => minute(startsAt) },
  { head: 'TO (UTC)', cell: ({ endsAt }) => minute(endsAt) },
  { head: 'STATUS', cell: sliceStatus },
  { head: 'SIZE', isNumber: true, cell: ({ sizeBytes }) => sizeOrNone(sizeBytes) },
  { head: 'TAGS', cell: (slice) => tagsOf(slice).join(',') },
  { head: 'PATH', cell: ({ path }) => path ?? '-' },
];

/** Returns the columns about segments. They go before the path, which is long. */
function segmentColumns(segments: SegmentsBySlice): Column[] {
  const column = (head: string, text: (of: SliceSegments) => string): Column => ({
    head,
    isNumber: true,
    cell: ({ sliceId }) => {
      const of = segments.get(sliceId);
      return of ? text(of) : '-';
    },
  });
  return [
    column('SEGMENTS', (of) => count(of.segments)),
    column('WAITING', ({ waiting }) => count(waiting)),
    column('SAMPLES', ({ rows }) => count(rows)),
    column('DATA', ({ bytes }) => sizeText(bytes)),
  ];
}

/** Returns the columns about feed losses, if any of the slices has some. */
function lossColumns(slices: readonly NamedSlice[], losses: LossesBySlice): Column[] {
  if (!slices.some(({ sliceId }) => losses.has(sliceId))) return [];
  const column = (head: string, text: (of: FeedLossCounts) => string | null): Column => ({
    head,
    cell({ sliceId }) {
      const of = losses.get(sliceId);
      return (of && text(of)) ?? '-';
    },
  });
  return [column('LOST', lostOf), column('REFUSED', refusedOf)];
}

const lostOf = ({ lostFlows, lostPackets, lostDatagrams }: FeedLossCounts): string | null =>
  lostText({ flows: lostFlows, packets: lostPackets, datagrams: lostDatagrams });

function refusedOf({ refusedLines, leftOutFlows }: FeedLossCounts): string | null {
  const parts = [
    ...(refusedLines > 0 ? [counted(refusedLines, 'line')] : []),
    ...(leftOutFlows > 0 ? [counted(leftOutFlows, 'flow')] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : null;
}

/** Formats slices as a table, one line a slice. Columns about segments and losses need `facts`. */
export function slicesTable(
  slices: readonly NamedSlice[],
  now: number,
  facts?: SliceFacts,
): string[] {
  const columns = [
    ...COLUMNS.slice(0, -1),
    ...(facts ? segmentColumns(facts.segments) : []),
    ...(facts ? lossColumns(slices, facts.losses) : []),
    ...COLUMNS.slice(-1),
  ];
  const asOfNow = columns.map(
    (column): TextColumn<NamedSlice> => ({ ...column, cell: (slice) => column.cell(slice, now) }),
  );
  return textTable(asOfNow, slices);
}

const sizeOrNone = (bytes: number | null): string => (bytes === null ? '-' : sizeText(bytes));

const minute = (at: number): string =>
  new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ');

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a size in decimal units, as disks are sold. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
