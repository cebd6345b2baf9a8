import type { Connection } from '../db/write/connection.ts';
import { type ContextVersion, selectContextVersions } from '../db/write/select-context-versions.ts';
import { selectImports } from '../db/write/select-imports.ts';
import { withConnection } from '../db/write/with-connection.ts';
import { LIMITS } from '../domain/limits.ts';
import { packMissing } from '../packing/pack-missing.ts';
import { type BackgroundWork, type Delays, workInBackground } from './background-work.ts';
import type { Logger } from './log.ts';
import { type ImportsOfContext, PackingTally } from './packing-tally.ts';

export type KeepPackedOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Where what was done is written down. */
  readonly tally?: PackingTally;
  /** null: only when `runOnce` is called. */
  readonly delays?: Delays | null;
};

const DELAYS = { firstMs: LIMITS.packingFirstMs, everyMs: LIMITS.packingEveryMs };

/**
 * Packs in the background what imports left unpacked on the primary: slices of before there were
 * blocks, and coarse blocks whose import was interrupted. It never makes an import wait for long:
 * it takes a context only while nobody has it, and gives it back after each slice.
 */
export function keepPacked(options: KeepPackedOptions): BackgroundWork {
  const { databaseUrl, log, tally = new PackingTally(), delays = DELAYS } = options;
  // By context: at this version nothing was left to do.
  const whole = new Map<number, number>();

  async function look(signal: AbortSignal): Promise<void> {
    const started = performance.now();
    let failed = true;
    try {
      failed = !(await withConnection({ databaseUrl, signal }, 'packing', (connection) =>
        packContexts({ connection, log, tally, whole, signal }),
      ));
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'contexts could not be looked at for packing');
    }
    // Being told to end is no failure, and nothing to count any more.
    if (signal.aborted) return;
    const seconds = (performance.now() - started) / 1000;
    tally.noteRun({ endedAt: Date.now() / 1000, seconds, failed });
  }

  return workInBackground(look, delays);
}

type Packing = {
  readonly connection: Connection;
  readonly log: Logger;
  readonly tally: PackingTally;
  readonly whole: Map<number, number>;
  readonly signal: AbortSignal;
};

/** Whether all contexts could be packed. */
async function packContexts(packing: Packing): Promise<boolean> {
  const { connection, log, tally, whole, signal } = packing;
  const contexts = await selectContextVersions(connection);
  tally.imports = await lookAtImports(connection, contexts, tally.imports);
  let isGood = true;
  for (const context of contexts) {
    if (signal.aborted) return isGood;
    // The cheap look: most of the time nothing has changed.
    if (whole.get(context.contextId) === context.version) continue;
    try {
      await packContext(packing, context);
    } catch (error) {
      if (signal.aborted) return isGood;
      log.error({ err: error, context: context.name }, 'a context could not be packed');
      isGood = false;
    }
  }
  return isGood;
}

/** Imports raise the version of their context: most of the time there is nothing to look at. */
async function lookAtImports(
  connection: Connection,
  contexts: readonly ContextVersion[],
  known: ReadonlyMap<number, ImportsOfContext>,
): Promise<ReadonlyMap<number, ImportsOfContext>> {
  const changed = contexts.filter(
    ({ contextId, version }) => known.get(contextId)?.version !== version,
  );
  const rows = changed.length > 0 ? await selectImports(connection, changed.map(idOf)) : [];
  const read = new Map(rows.map(({ contextId, files, lastAt }) => [contextId, { files, lastAt }]));
  return new Map(
    contexts.flatMap(({ contextId, name: context, version }) => {
      const imports = read.get(contextId) ?? known.get(contextId);
      return imports ? [[contextId, { ...imports, context, version }] as const] : [];
    }),
  );
}

const idOf = ({ contextId }: ContextVersion): number => contextId;

async function packContext(
  { connection, log, tally, whole, signal }: Packing,
  { contextId, name, version }: ContextVersion,
): Promise<void> {
  const started = performance.now();
  const { slices, coarseBlocks, isWhole } = await packMissing(connection, contextId, signal);
  tally.slices += slices;
  tally.coarseBlocks += coarseBlocks;
  if (slices + coarseBlocks > 0) {
    const ms = Math.round(performance.now() - started);
    log.info({ context: name, slices, coarseBlocks, ms }, 'a context was packed');
  } else if (isWhole) {
    // What was made raises the version: then the next look finds that nothing is left.
    whole.set(contextId, version);
  }
}
