import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArchivedSlice, archiveSlice } from '../../../store/archive/archive-slice.ts';
import { dropSlice } from '../../../store/archive/drop-slice.ts';
import {
  finishKeeping,
  type Keeper,
  type KeptSlice,
  listKeptSlices,
  withKeeper,
} from '../../../store/archive/keeper.ts';
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
  const kept = <T>(work: (keeper: Keeper) => Promise<T>): Promise<T> =>
    withKeeper({ databaseUrl: lab.databaseUrl, context, detachWaitMs }, work);

  /** Runs `work` on each slice with these names, and then finishes as the command does. */
  async function each<T>(
    names: readonly string[],
    work: (keeper: Keeper, slice: KeptSlice) => Promise<T>,
  ): Promise<T[]> {
    return kept(async (keeper) => {
      const slices = await listKeptSlices(keeper);
      const chosen = slices.filter(({ name }) => names.includes(name));
      if (chosen.length !== names.length) throw new Error(`not all there: ${names.join(', ')}`);
      const results: T[] = [];
      for (const slice of chosen) results.push(await work(keeper, slice));
      const taken = chosen.map(({ sliceId }) => sliceId);
      await finishKeeping(keeper, { taken });
      return results;
    });
  }

  return {
    kept,
    archive: (...names: string[]): Promise<(ArchivedSlice | null)[]> =>
      each(names, async (keeper, slice) =>
        archiveSlice(keeper, slice, await findPool(keeper, null)),
      ),
    restore: (...names: string[]): Promise<(RestoredSlice | null)[]> => each(names, restoreSlice),
    drop: (...names: string[]): Promise<(KeptSlice | null)[]> =>
      each(names, (keeper, slice) => dropSlice(keeper, slice)),
    list: () => kept(listKeptSlices),
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
