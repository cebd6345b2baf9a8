import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArchivedSlice, archiveSlice } from '../../keeping/archive-slice.ts';
import { dropSlice } from '../../keeping/drop-slice.ts';
import {
  finishKeeping,
  type Keeper,
  type KeptSlice,
  listKeptSlices,
  withKeeper,
} from '../../keeping/keeper.ts';
import { findPool } from '../../keeping/pool-folder.ts';
import { type RestoredSlice, restoreSlice } from '../../keeping/restore-slice.ts';
import { verifyContext } from '../../packing/verify/verify-context.ts';
import { CONTEXT, type TestService } from '../support/service.ts';

/** A folder for a pool, empty. */
export const makePoolFolder = (): Promise<string> =>
  mkdtemp(join(tmpdir(), 'countergraph-test-pool-'));

export const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true });

/** Files below a folder, by their paths from there. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** What is done to the slices of a lab's context, as the command does it. */
export function keepingOf(
  lab: TestService,
  { context = CONTEXT, detachWaitMs }: { context?: string; detachWaitMs?: number } = {},
) {
  const kept = <T>(work: (keeper: Keeper) => Promise<T>): Promise<T> =>
    withKeeper(
      { databaseUrl: lab.databaseUrl, context, now: () => lab.clock.seconds, detachWaitMs },
      work,
    );

  /** Each slice of these names, and what comes after them. */
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

/** A digest of all samples of a slice, in no order. */
export async function samplesDigest(lab: TestService, sliceId: number): Promise<string> {
  const [row] = await lab.sql<{ digest: string }>(
    `select count(*) || ' ' || coalesce(md5(string_agg(md5(s::text), '' order by md5(s::text))), '')
       as digest
     from samples s where slice_id = $1`,
    [sliceId],
  );
  return row?.digest ?? '';
}

/** The tables of slices, be they attached or not. */
export async function partitionsOf(lab: TestService): Promise<string[]> {
  const rows = await lab.sql<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relname ~ '^samples_[0-9]+$'
     order by 1`,
  );
  return rows.map(({ name }) => name);
}
