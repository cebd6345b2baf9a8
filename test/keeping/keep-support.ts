import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copiesOf } from '../../db/copy-source.ts';
import { selectContext } from '../../db/write/select-context.ts';
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
import { checkStoredSegment } from '../../store/check/check-stored-segment.ts';
import { loadShapes } from '../../store/shapes/load-shapes.ts';
import { liveSegments, samplesInSegments } from '../conversion/plain-readings.ts';
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
    /** What is wrong with the segments that live: none is of a slice that is not available. */
    faults: () => faultsOf(lab, context),
  };
}

const faultsOf = (lab: TestService, context: string): Promise<string[]> =>
  lab.write(async (connection) => {
    const found = await selectContext(connection, context);
    if (!found) throw new Error(`there is no context ${context}`);
    const shapes = await loadShapes(connection, found.contextId);
    const { rows } = await connection.query<{ id: number }>(
      'select slice_id as id from slices where not archived',
    );
    const available = new Set(rows.map(({ id }) => id));
    const faults: string[] = [];
    for (const segment of await liveSegments(connection, found.contextId)) {
      const { sliceId, groupId, segmentId } = segment;
      const shape = shapes.get(groupId);
      if (!shape) throw new Error(`group ${groupId} is not there`);
      if (!available.has(sliceId)) faults.push(`segment ${segmentId} of slice ${sliceId} lives`);
      for await (const fault of checkStoredSegment(copiesOf(connection), segment, shape)) {
        faults.push(fault);
      }
    }
    return faults;
  });

/** A digest of all readings of a slice, however they lie in segments. */
export const readingsDigest = (lab: TestService, sliceId: number): Promise<string> =>
  lab.write(async (connection) => {
    const own = [...(await samplesInSegments(connection))]
      .filter(([place]) => place.startsWith(`${sliceId} `))
      .map(([place, value]) => `${place}: ${value}`)
      .sort();
    return `${own.length} ${createHash('sha256').update(own.join('\n')).digest('hex')}`;
  });

/** The slices that have tables for pages, be they attached or not. */
export async function partitionedSlices(lab: TestService): Promise<number[]> {
  const rows = await lab.sql<{ id: number }>(
    `select distinct substring(relname from '[0-9]+$')::int as id from pg_class
     where relkind = 'r' and relname ~ '_segment_pages_[0-9]+$' order by 1`,
  );
  return rows.map(({ id }) => id);
}
