import type { Connection } from '../../../db/connection/connection.ts';
import {
  pagePartitionName,
  pagePartitionOf,
  type SegmentToPlace,
} from '../../../db/page-tables.ts';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import { copyPages } from '../../../db/sql/pages.ts';
import { GENERATION_SECONDS } from '../../../domain/slices/page-generation.ts';
import { SEALED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { openSegmentLab } from './segment-lab.ts';

export type PageLab = Awaited<ReturnType<typeof openPageLab>>;

/** Where the sealed pages of a segment belong: in the partition of a slice. */
export const sealedIn = (sliceId: number): SegmentToPlace => ({
  sliceId,
  level: SEALED_LEVEL,
  importedAt: GENERATION_SECONDS,
});

/** Where the open pages of a segment belong: in the partition of a slice and generation. */
export const openIn = (sliceId: number, generation = 1): SegmentToPlace => ({
  sliceId,
  level: 0,
  importedAt: generation * GENERATION_SECONDS,
});

export const nameOf = (place: SegmentToPlace): string => pagePartitionName(pagePartitionOf(place));

/** A segment lab whose partitions of pages are created and filled without the code under test. */
export async function openPageLab() {
  const lab = await openSegmentLab();
  const { connection } = lab;
  return {
    ...lab,
    async create(...places: readonly SegmentToPlace[]): Promise<void> {
      for (const place of places) await ensurePagePartition(connection, pagePartitionOf(place));
    },
    /** Stores pages of a segment, numbered from 0. */
    async store(place: SegmentToPlace, segmentId: number, pages: number): Promise<void> {
      await ensurePagePartition(connection, pagePartitionOf(place));
      const rows = Array.from({ length: pages }, (_, number) => ({
        number,
        bytes: new Uint8Array([number]),
      }));
      await copyPages(connection, { ...place, segmentId }, rows);
    },
    /** The names of all tables that are partitions of pages or were. */
    async partitions(): Promise<string[]> {
      const rows = await lab.rowsOf<{ name: string }>(
        `select relname as name from pg_class
         where relkind = 'r' and relname ~ '^(open|sealed)_segment_pages_[0-9_]+$' order by 1`,
      );
      return rows.map(({ name }) => name);
    },
    /** Opens a transaction that has read the sealed pages, until the returned function is called. */
    async readSealedPages(reader: Connection): Promise<() => Promise<unknown>> {
      await reader.query('begin');
      await reader.query('select count(*) from sealed_segment_pages');
      return () => reader.query('commit');
    },
    /** Removes all segments and partitions. */
    async empty(): Promise<void> {
      await connection.query('delete from segments');
      for (const name of await this.partitions()) await connection.query(`drop table ${name}`);
    },
  };
}
