import { isProcessing, type KeptSlice } from '../keeping/keeper.ts';

/** A slice as `slices list --json` gives it: the words of the GraphQL type, and its archive. */
export const sliceFields = (slice: KeptSlice, now: number) => ({
  sliceId: slice.sliceId,
  name: slice.name,
  engine: slice.engine,
  status: statusOf(slice, now),
  timeInterval: { from: slice.startsAt, to: slice.endsAt },
  diskSize: slice.sizeBytes,
  path: slice.path,
  available: !slice.archived,
  tags: tagsOf(slice),
  archive: slice.archive && {
    pool: slice.archive.pool,
    rows: slice.archive.rows,
    bytes: slice.archive.bytes,
    sha256: slice.archive.digest,
    archivedAt: slice.archive.archivedAt,
  },
});

/** Decision 17. */
export const statusOf = (slice: KeptSlice, now: number): string => {
  if (slice.archived) return 'archived';
  return isProcessing(slice, now) ? 'processing' : 'available';
};

const tagsOf = ({ archived }: KeptSlice): string[] => [archived ? 'archive' : 'primary'];

const HEAD = ['NAME', 'FROM (UTC)', 'TO (UTC)', 'STATUS', 'SIZE', 'TAGS', 'PATH'];

/** Columns for people, one line a slice. */
export function slicesTable(slices: readonly KeptSlice[], now: number): string[] {
  const rows = slices.map((slice) => [
    slice.name,
    minute(slice.startsAt),
    minute(slice.endsAt),
    statusOf(slice, now),
    slice.sizeBytes === null ? '-' : sizeText(slice.sizeBytes),
    tagsOf(slice).join(','),
    slice.path ?? '-',
  ]);
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_, column) =>
    all.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
  );
  const size = HEAD.indexOf('SIZE');
  const cell = (text: string, column: number): string =>
    column === size ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  return all.map((row) => row.map(cell).join('  ').trimEnd());
}

const minute = (at: number): string =>
  new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ');

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units, as disks are sold. */
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
