import { isSealed, SEALED_LEVEL } from '../domain/segment-level.ts';
import { OPEN_PAGES_LOCK, SEALED_PAGES_LOCK } from './advisory-locks.ts';

/** The tables of pages. Both have the same columns, and a partition for each slice. */
export const PAGE_TABLES = ['open_segment_pages', 'sealed_segment_pages'] as const;

export type PageTable = (typeof PAGE_TABLES)[number];

/** Where the pages of a segment of this level are. */
export const pageTableOf = (level: number): PageTable =>
  isSealed(level) ? 'sealed_segment_pages' : 'open_segment_pages';

/** SQL: whether a row of the manifest is of a segment whose pages are in this table. */
export const levelsIn = (table: PageTable): string =>
  table === 'sealed_segment_pages' ? `level >= ${SEALED_LEVEL}` : `level < ${SEALED_LEVEL}`;

/** The partition of a slice. sliceId is a number of our own, never input. */
export const pagePartitionName = (table: PageTable, sliceId: number): string =>
  `${table}_${sliceId}`;

/** Who may make or remove partitions, and the place of the table among all that have partitions. */
export const PAGE_LOCKS = {
  open_segment_pages: { partition: OPEN_PAGES_LOCK, removal: 1 },
  sealed_segment_pages: { partition: SEALED_PAGES_LOCK, removal: 2 },
} as const satisfies Record<PageTable, { partition: number; removal: number }>;

const relationsOf = (slice: string): string =>
  PAGE_TABLES.map((table) => `to_regclass('${table}_' || ${slice})`).join(', ');

/**
 * SQL: bytes of a slice's pages with their indexes, measured now; null: it has no partition.
 * `slice`: SQL for its slice_id.
 */
export const pageBytesOf = (slice: string): string =>
  `(select sum(pg_total_relation_size(partition))::bigint
    from unnest(array[${relationsOf(slice)}]) as partition)`;

/**
 * SQL: where the pages of a slice are within the server's data folder; null: it has no partition.
 * The sealed ones stay, and once they are there hold nearly all of it.
 */
export const pagePathOf = (slice: string): string =>
  `coalesce(pg_relation_filepath(to_regclass('sealed_segment_pages_' || ${slice})),
    pg_relation_filepath(to_regclass('open_segment_pages_' || ${slice})))`;
