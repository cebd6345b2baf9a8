import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../../../db/connection/connection.ts';
import { holdContext, releaseContext } from '../../../db/connection/lock-context.ts';
import { copiesOf } from '../../../db/session/copy-source.ts';
import { type StoredSlice, selectStoredSlices } from '../../../db/sql/archived-slices.ts';
import { upsertCoverage } from '../../../db/sql/coverage.ts';
import { removeTakenPartitions } from '../../../db/sql/remove-partitions.ts';
import { SEALED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { sliceName } from '../../../domain/slices/slice-name.ts';
import type { ArchiveSession } from '../../../store/archive/archive-session.ts';
import { archiveSegments } from '../../../store/archive/archive-slice.ts';
import { dropSegments } from '../../../store/archive/drop-slice.ts';
import { removeLeftovers } from '../../../store/archive/leftovers.ts';
import { fileOfArchive, newArchiveLocation } from '../../../store/archive/pool-folder.ts';
import { restoreSegments } from '../../../store/archive/restore-segments.ts';
import type { WrittenArchive } from '../../../store/archive/write-archive.ts';
import { checkStoredSegment } from '../../../store/check/check-stored-segment.ts';
import { SHAPE } from '../../segments/plain-segments.ts';
import { databaseUrl, withClient } from '../../support/database/database.ts';
import {
  DAY,
  DAY_START,
  importLists,
  openStoreLab,
  type SegmentToWrite,
  sample,
} from '../store-lab.ts';

/** A time at which all slices of the lab are over. */
export const NOW = DAY_START + 20 * DAY;

/** The raw key of a host, as `sample` makes it. */
export const address = (host: number): string => sample(host, 0, 0).key;

export type KeepingOptions = {
  readonly connection?: Connection;
  /** How long to wait for older readers. */
  readonly waitMs?: number;
  readonly session?: Partial<ArchiveSession>;
};

export type KeepingLab = Awaited<ReturnType<typeof openKeepingLab>>;

/** A store lab with a pool, which archives, restores and drops slices as the commands do. */
export async function openKeepingLab() {
  const lab = await openStoreLab();
  const pool = await mkdtemp(join(tmpdir(), 'countergraph-test-pool-'));
  await lab.importer.query(`insert into pools (context_id, name, path) values (1, 'oper', $1)`, [
    pool,
  ]);

  async function storedSlice(
    sliceId: number,
    connection: Connection = lab.reader,
  ): Promise<StoredSlice> {
    const slices = await selectStoredSlices(connection, 1);
    const slice = slices.find((each) => each.sliceId === sliceId);
    if (!slice) throw new Error(`there is no slice ${sliceId}`);
    return slice;
  }

  /** Works on a slice under the context's lock, and cleans up before and after. */
  async function kept<T>(
    sliceId: number,
    { connection = lab.importer, waitMs = 5000, session = {} }: KeepingOptions,
    work: (session: ArchiveSession, slice: StoredSlice) => Promise<T>,
  ): Promise<T> {
    await holdContext(connection, 1, { onWaiting: () => {} });
    try {
      await removeLeftovers(connection, 1);
      const target = {
        connection,
        contextId: 1,
        context: 'lab',
        retentionDays: null,
        now: () => NOW,
        ...session,
      };
      const result = await work(target, await storedSlice(sliceId, connection));
      await removeLeftovers(connection, 1);
      await removeTakenPartitions(connection, { waitMs });
      return result;
    } finally {
      await releaseContext(connection, 1).catch(() => undefined);
    }
  }

  return {
    ...lab,
    pool,
    storedSlice,
    archive: (sliceId: number, options: KeepingOptions = {}): Promise<WrittenArchive> =>
      kept(sliceId, options, async (session, slice) => {
        const name = sliceName(slice.startsAt, slice.engine);
        const location = await newArchiveLocation({ name: 'oper', path: pool }, 'lab', name);
        return archiveSegments(session, slice, location);
      }),
    restore: (sliceId: number, options: KeepingOptions = {}): Promise<number> =>
      kept(sliceId, options, async (session, slice) => {
        const { archive } = slice;
        if (!archive) throw new Error(`slice ${sliceId} has no archive`);
        const file = fileOfArchive(archive);
        return restoreSegments(session, slice, { archive, file, waitMs: options.waitMs ?? 5000 });
      }),
    drop: (sliceId: number, options: KeepingOptions = {}): Promise<void> =>
      kept(sliceId, options, dropSegments),
    /** The paths of the files in the pool. */
    async files(): Promise<string[]> {
      const entries = await readdir(pool, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(pool, 'lab', entry.name));
    },
    /** Partitions of pages, attached or not, named without their generations. */
    async partitions(): Promise<string[]> {
      const rows = await lab.rows<{ name: string }>(
        `select regexp_replace(relname, '^(open_segment_pages_[0-9]+)_[0-9]+$', '\\1') as name
         from pg_class where relkind = 'r' and relname ~ '_pages_[0-9_]+$' order by 1`,
      );
      return rows.map(({ name }) => name);
    },
    coverage: () => lab.rows('select * from coverage order by slice_id, group_id, probe_id'),
    leftovers: () => lab.rows('select * from archive_leftovers'),
    /** Writes segments and their coverage, as an import does. */
    async importDays(...lists: readonly SegmentToWrite[]): Promise<void> {
      const born = await importLists(lab.importer, lists);
      const byTime = born.toSorted((a, b) => a.importedAt - b.importedAt);
      for (const { importedAt, ...span } of byTime) {
        const present = { presentBucket: span.lastBucket, aheadBuckets: [] };
        await upsertCoverage(lab.importer, [{ ...span, ...present, committedAt: importedAt }]);
      }
    },
    /** The faults of the live segments. */
    async faults(): Promise<string[]> {
      const { segments } = await lab.manifest();
      const faults: string[] = [];
      for (const segment of segments.values()) {
        for await (const fault of checkStoredSegment(copiesOf(lab.reader), segment, SHAPE)) {
          faults.push(fault);
        }
      }
      return faults;
    },
    async close(): Promise<void> {
      await lab.close();
      await rm(pool, { recursive: true, force: true });
    },
  };
}

/** A segment of some hosts, in two minutes of a slice. */
export function dayOf(
  sliceId: number,
  hosts: readonly number[],
  scope: SegmentToWrite['scope'] = {},
): SegmentToWrite {
  const start = DAY_START + (sliceId - 1) * DAY;
  return {
    list: hosts.flatMap((host) => [
      sample(host, start + 60, host + 1),
      sample(host, start + 7200, 2 * host + 1),
    ]),
    scope: { sliceId, ...scope },
  };
}

export const SEALED = { level: SEALED_LEVEL };

/** Waits until a session waits for a lock. */
export const untilItWaits = (lab: KeepingLab, pid: number): Promise<void> =>
  untilWaiting(lab, 'pid = $1', pid);

/**
 * Waits until a session for which `condition` holds waits for a lock. Looks from another database.
 * A snapshot of this one would be as old as the oldest transaction of the server, and a sweep would
 * leave dead segments for its sake.
 */
export async function untilWaiting(
  lab: KeepingLab,
  condition: string,
  parameter: string | number,
): Promise<void> {
  const text = `select from pg_stat_activity where ${condition} and wait_event_type = 'Lock'`;
  await withClient(databaseUrl(lab.databaseUrl, 'postgres'), async (client) => {
    while ((await client.query(text, [parameter])).rowCount === 0) await delay(5);
  });
}

export const hostsTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
