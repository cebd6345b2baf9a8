import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ArchiveSession,
  finishArchiving,
  listNamedSlices,
  type NamedSlice,
  withArchiveSession,
} from '../../../store/archive/archive-session.ts';
import { type ArchivedSlice, archiveSlice } from '../../../store/archive/archive-slice.ts';
import { dropSlice } from '../../../store/archive/drop-slice.ts';
import { findPool } from '../../../store/archive/pool-folder.ts';
import { type RestoredSlice, restoreSlice } from '../../../store/archive/restore-slice.ts';
import { verifyContext } from '../../../store/check/verify-context.ts';
import { samplesInSegments } from '../../conversion/plain-readings.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';

/** Creates an empty folder for a pool. */
export const makePoolFolder = (): Promise<string> =>
  mkdtemp(join(tmpdir(), 'countergraph-test-pool-'));

export const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true });

/** Returns the names of all files below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Archives, restores and drops slices of a lab's context as the command does. */
export function keepingOf(
  lab: TestService,
  { context = CONTEXT, detachWaitMs }: { context?: string; detachWaitMs?: number } = {},
) {
  const kept = <T>(work: (session: ArchiveSession) => Promise<T>): Promise<T> =>
    withArchiveSession({ databaseUrl: lab.databaseUrl, context, detachWaitMs }, work);

  /** Runs `work` on each slice with these names, and then finishes as the command does. */
  async function each<T>(
    names: readonly string[],
    work: (session: ArchiveSession, slice: NamedSlice) => Promise<T>,
  ): Promise<T[]> {
    return kept(async (session) => {
      const slices = await listNamedSlices(session);
      const chosen = slices.filter(({ name }) => names.includes(name));
      if (chosen.length !== names.length) throw new Error(`not all there: ${names.join(', ')}`);
      const results: T[] = [];
      for (const slice of chosen) results.push(await work(session, slice));
      const taken = chosen.map(({ sliceId }) => sliceId);
      await finishArchiving(session, { taken });
      return results;
    });
  }

  return {
    kept,
    archive: (...names: string[]): Promise<(ArchivedSlice | null)[]> =>
      each(names, async (session, slice) =>
        archiveSlice(session, slice, await findPool(session, null)),
      ),
    restore: (...names: string[]): Promise<(RestoredSlice | null)[]> => each(names, restoreSlice),
    drop: (...names: string[]): Promise<(NamedSlice | null)[]> =>
      each(names, (session, slice) => dropSlice(session, slice)),
    list: () => kept(listNamedSlices),
    verify: () => verifyContext({ databaseUrl: lab.databaseUrl, context }),
  };
}

/** Returns a digest of all readings of a slice, however they are divided into segments. */
export const readingsDigest = (lab: TestService, sliceId: number): Promise<string> =>
  lab.write(async (connection) => {
    const own = [...(await samplesInSegments(connection))]
      .filter(([name]) => name.startsWith(`${sliceId} `))
      .map(([name, value]) => `${name}: ${value}`)
      .sort();
    return `${own.length} ${createHash('sha256').update(own.join('\n')).digest('hex')}`;
  });

/** Returns the slices that have tables for pages, attached or not. */
export async function partitionedSlices(lab: TestService): Promise<number[]> {
  const rows = await lab.sql<{ id: number }>(
    `select distinct substring(relname from '_pages_([0-9]+)')::int as id from pg_class
     where relkind = 'r' and relname ~ '_segment_pages_[0-9_]+$' order by 1`,
  );
  return rows.map(({ id }) => id);
}
