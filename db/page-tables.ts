import {
  GENERATION_SECONDS,
  generationOf,
  SETTLED_GENERATION,
} from '../domain/slices/page-generation.ts';
import { isSealed, SEALED_LEVEL, SETTLED_LEVEL } from '../domain/slices/segment-level.ts';
import { OPEN_PAGES_LOCK, SEALED_PAGES_LOCK } from './advisory-locks.ts';

/** The tables of pages. A slice has one partition of sealed pages, and several of open pages. */
export const PAGE_TABLES = ['open_segment_pages', 'sealed_segment_pages'] as const;

export type PageTable = (typeof PAGE_TABLES)[number];

/** Returns the table with the pages of a segment of this level. */
export const pageTableOf = (level: number): PageTable =>
  isSealed(level) ? 'sealed_segment_pages' : 'open_segment_pages';

/** SQL: whether a row of the manifest is a segment whose pages are in this table. */
export const levelsIn = (table: PageTable): string =>
  table === 'sealed_segment_pages' ? `level >= ${SEALED_LEVEL}` : `level < ${SEALED_LEVEL}`;

/**
 * A partition of pages: of a slice, and for open pages also of a generation. All numbers are our
 * own.
 */
export type PagePartition =
  | { readonly table: 'sealed_segment_pages'; readonly sliceId: number }
  | {
      readonly table: 'open_segment_pages';
      readonly sliceId: number;
      readonly generation: number;
    };

/** What determines where the pages of a segment are. importedAt: epoch seconds. */
export type SegmentToPlace = {
  readonly sliceId: number;
  readonly level: number;
  readonly importedAt: number;
};

export function pagePartitionOf({ sliceId, level, importedAt }: SegmentToPlace): PagePartition {
  const table = pageTableOf(level);
  if (table === 'sealed_segment_pages') return { table, sliceId };
  return { table, sliceId, generation: generationOf({ level, importedAt }) };
}

export const pagePartitionName = (partition: PagePartition): string =>
  partition.table === 'sealed_segment_pages'
    ? `${partition.table}_${partition.sliceId}`
    : `${partition.table}_${partition.sliceId}_${partition.generation}`;

/** SQL: the pattern of the names of a slice's or a generation's partitions. */
export const PARTITION_PATTERNS = {
  open_segment_pages: '^open_segment_pages_[0-9]{1,9}_[0-9]{1,9}$',
  sealed_segment_pages: '^sealed_segment_pages_[0-9]{1,9}$',
} as const satisfies Record<PageTable, string>;

/** SQL: the bounds of a partition. */
export function pagePartitionBounds(partition: PagePartition): string {
  const { sliceId } = partition;
  if (partition.table === 'sealed_segment_pages') return `for values in (${sliceId})`;
  const { generation } = partition;
  return `for values from (${sliceId}, ${generation}) to (${sliceId}, ${generation + 1})`;
}

/**
 * SQL: the generation of a row of the manifest, as in generationOf. segments: the alias of the
 * table.
 */
export const generationIn = (segments: string): string =>
  `case when ${segments}.level >= ${SETTLED_LEVEL} then ${SETTLED_GENERATION}
     else floor(extract(epoch from ${segments}.imported_at) / ${GENERATION_SECONDS})::int end`;

/**
 * partition: the class of the lock for creating or removing partitions; removal: the number of the
 * table in PARTITION_REMOVAL_LOCK.
 */
export const PAGE_LOCKS = {
  open_segment_pages: { partition: OPEN_PAGES_LOCK, removal: 1 },
  sealed_segment_pages: { partition: SEALED_PAGES_LOCK, removal: 2 },
} as const satisfies Record<PageTable, { partition: number; removal: number }>;

/**
 * SQL: the partitions of a slice's open pages, found through an index on names. '9' sorts before
 * ':'.
 */
const openPartitionsOf = (slice: string): string => `
  select oid, relname from pg_class
  where relkind = 'r'
    and relnamespace = (select relnamespace from pg_class
      where oid = 'open_segment_pages'::regclass)
    and relname between ('open_segment_pages_' || ${slice} || '_0')::name
      and ('open_segment_pages_' || ${slice} || '_:')::name`;

/**
 * SQL: bytes of a slice's pages with their indexes, measured now; null: it has no partition.
 * `slice`: SQL for its slice_id. sizeOf: the function that measures a partition.
 */
export const pageBytesOf = (slice: string, sizeOf: PartitionSize): string =>
  `(select sum(${sizeOf}(partition))::bigint from (
    select to_regclass('sealed_segment_pages_' || ${slice}) as partition
    union all select oid from (${openPartitionsOf(slice)}) as open) as partitions)`;

export type PartitionSize = 'pg_total_relation_size' | 'citus_total_relation_size';

/**
 * Returns the function that measures a partition; for distributed pages, the one that asks the
 * workers.
 */
export const partitionSize = (isDistributed: boolean): PartitionSize =>
  isDistributed ? 'citus_total_relation_size' : 'pg_total_relation_size';

/**
 * SQL: the path of a slice's pages within the server's data folder; null: it has no partition. This
 * is the partition of sealed pages if there is one: it stays, and once it exists it holds nearly
 * all pages. Otherwise it is the open partition of the settled segments, whose generation is the
 * first, or else the oldest open one. For distributed pages it is the coordinator's partition,
 * which stands for those of the workers.
 */
export const pagePathOf = (slice: string): string =>
  `coalesce(pg_relation_filepath(to_regclass('sealed_segment_pages_' || ${slice})),
    (select pg_relation_filepath(oid) from (${openPartitionsOf(slice)}) as open
     order by relname limit 1))`;

/** SQL: whether a slice has a partition for pages, attached or not. */
export const hasPartition = (slice: string): string =>
  `(to_regclass('sealed_segment_pages_' || ${slice}) is not null
    or exists (${openPartitionsOf(slice)}))`;
