import type { Connection } from '../../db/connection/connection.ts';
import { KeptConnection } from '../../db/connection/with-connection.ts';
import { type ContextNumbersRow, selectContextNumbers } from '../../db/sql/contexts.ts';
import { selectAllExporters } from '../../db/sql/exporters.ts';
import { selectFeedStates } from '../../db/sql/feeds.ts';
import { selectImports } from '../../db/sql/imports.ts';
import {
  type OpenSegmentRow,
  type SegmentTotals,
  selectOpenSegments,
  selectSegmentTotals,
} from '../../db/sql/manifest.ts';
import { REFUSED_REMOVAL, removeIdlePartitions } from '../../db/sql/remove-partitions.ts';
import { LIMITS } from '../../domain/limits.ts';
import { waitingBySlice } from '../../store/merge/waiting-segments.ts';
import { SWEEP_AFTER_SECONDS, sweepContext } from '../../store/sweep/sweep-context.ts';
import type { Logger } from '../telemetry/log.ts';
import { type BackgroundWork, type Delays, workInBackground } from './background-work.ts';
import { type MergeContext, mergeInThread } from './merge-in-thread.ts';
import { type ImportsOfContext, MergingTally } from './merging-metrics.ts';

export type MergeSchedulerOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** Counts what was done. */
  readonly tally?: MergingTally;
  /** null: runs only when `runOnce` is called. */
  readonly delays?: Delays | null;
  /** How to merge a context; by default in a thread of its own. */
  readonly mergeContext?: MergeContext;
};

const DELAYS = { firstMs: LIMITS.mergingFirstMs, everyMs: LIMITS.mergingEveryMs };

/**
 * Merges in the background the segments that imports have written to the primary, one context after
 * the other, and sweeps the segments that merges have replaced. Nobody waits for it: it takes no
 * lock of imports, and skips a context that another process merges.
 */
export function mergeScheduler(options: MergeSchedulerOptions): BackgroundWork {
  const { databaseUrl, log, delays = DELAYS, clock = Date.now } = options;
  const { tally = new MergingTally(), mergeContext = mergeInThread } = options;
  const now = () => Math.floor(clock() / 1000);
  const kept = new KeptConnection(databaseUrl, 'merging');
  const remembered: Remembered = {
    segments: new Map(),
    visits: new Map(),
    failedAt: new Map(),
    sweptAt: null,
  };

  async function check(signal: AbortSignal): Promise<void> {
    const started = performance.now();
    let failed = true;
    try {
      const merging = { databaseUrl, log, tally, mergeContext, now, signal, remembered };
      failed = !(await kept.use(signal, (connection) => checkContexts(merging, connection)));
      // It may be of a server that is not the primary any longer.
      if (failed) await kept.end();
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'contexts could not be looked at for merging');
    }
    // An abort by shutdown is not a failure, and is not counted.
    if (signal.aborted) return;
    const seconds = (performance.now() - started) / 1000;
    tally.noteRun({ endedAt: clock() / 1000, seconds, failed });
  }

  const work = workInBackground(check, delays, log);
  return {
    runOnce: () => work.runOnce(),
    async stop() {
      await work.stop();
      await kept.end();
    },
  };
}

/** State that is kept from one pass to the next. Times are in epoch seconds. */
type Remembered = {
  /** By context_id. */
  segments: ReadonlyMap<number, KnownSegments>;
  /** The last visit of each context, by context_id, and the layout that it started from. */
  readonly visits: Map<number, { readonly at: number; readonly layout: number }>;
  /** When the merge of a context failed, by context_id: it is not retried immediately. */
  readonly failedAt: Map<number, number>;
  sweptAt: number | null;
};

type Merging = Required<
  Pick<MergeSchedulerOptions, 'databaseUrl' | 'log' | 'tally' | 'mergeContext'>
> & {
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly remembered: Remembered;
};

/** Runs one pass over all contexts; returns whether everything succeeded. */
async function checkContexts(merging: Merging, connection: Connection): Promise<boolean> {
  const { tally, remembered, signal, now } = merging;
  const before = await selectContextNumbers(connection);
  tally.imports = await checkImports(connection, before, tally.imports);
  tally.feeds = await selectFeedStates(connection);
  tally.feedsReadAtMs = performance.now();
  tally.exporters = await selectAllExporters(connection, LIMITS.listedExporters);
  await refreshSegments(merging, connection, before);
  let isGood = true;
  let isMerged = false;
  for (const context of before) {
    signal.throwIfAborted();
    const known = remembered.segments.get(context.contextId);
    if (!known || isResting(merging, context)) continue;
    if (waitingSegments(known, now()) === 0 && !mayRollUp(merging, known, context)) continue;
    remembered.visits.set(context.contextId, { at: now(), layout: known.layout });
    isGood = (await mergeOne(merging, context)) && isGood;
    isMerged = true;
  }
  if (isMerged) await refreshSegments(merging, connection, await selectContextNumbers(connection));
  return (await sweepAll(merging, connection, before)) && isGood;
}

async function refreshSegments(
  { tally, remembered, now }: Merging,
  connection: Connection,
  contexts: readonly ContextNumbersRow[],
): Promise<void> {
  const all = new Map<number, KnownSegments>();
  for (const context of contexts) {
    const known = remembered.segments.get(context.contextId);
    all.set(context.contextId, await readSegments(connection, context, known));
  }
  remembered.segments = all;
  tally.segments = new Map(
    contexts.flatMap(({ contextId, name: context }) => {
      const known = all.get(contextId);
      if (!known) return [];
      const waiting = waitingSegments(known, now());
      return [[contextId, { ...known.totals, context, waiting }] as const];
    }),
  );
}

/**
 * Whether a roll-up may be due although no merge is. Roll-ups are made after merges, but sometimes
 * one is due without a merge, such as after slices were restored.
 */
function mayRollUp(
  { remembered, now }: Merging,
  { layout, totals }: KnownSegments,
  { contextId }: ContextNumbersRow,
): boolean {
  if (totals.segments < 2) return false;
  const last = remembered.visits.get(contextId);
  if (!last) return true;
  // Even if nothing has changed, a roll-up may become due with time.
  const isAsBefore = last.layout === layout;
  const wait = isAsBefore ? LIMITS.quietRollUpCheckSeconds : LIMITS.rollUpCheckSeconds;
  return now() - last.at >= wait;
}

const isResting = ({ remembered, now }: Merging, { contextId }: ContextNumbersRow): boolean => {
  const failedAt = remembered.failedAt.get(contextId);
  return failedAt !== undefined && now() - failedAt < LIMITS.mergingRetrySeconds;
};

/** Merges one context; returns whether it succeeded. */
async function mergeOne(
  { databaseUrl, log, tally, mergeContext, now, signal, remembered }: Merging,
  { contextId, name: context }: ContextNumbersRow,
): Promise<boolean> {
  const started = performance.now();
  remembered.failedAt.delete(contextId);
  try {
    const done = await mergeContext({ databaseUrl, contextId, now, signal });
    const { merges, replaced, rollUps, bytes, damaged } = done;
    tally.merges += merges;
    tally.mergedSegments += replaced;
    tally.rollUps += rollUps;
    const ms = Math.round(performance.now() - started);
    if (merges > 0)
      log.info({ context, merges, segments: replaced, bytes, ms }, 'segments were merged');
    if (rollUps > 0) log.info({ context, rollUps, bytes, ms }, 'roll-ups were made');
    if (damaged.length === 0) return true;
    log.error({ context, damaged }, 'damaged segments could not be merged: run verify');
  } catch (error) {
    signal.throwIfAborted();
    log.error({ err: error, context }, 'segments of a context could not be merged');
  }
  remembered.failedAt.set(contextId, now());
  return false;
}

/**
 * Sweeps all contexts, but not on every pass: dead segments are kept for minutes anyway. Returns
 * whether it succeeded.
 */
async function sweepAll(
  { log, tally, now, signal, remembered }: Merging,
  connection: Connection,
  contexts: readonly ContextNumbersRow[],
): Promise<boolean> {
  const at = now();
  const { sweptAt } = remembered;
  if (contexts.length === 0) return true;
  if (sweptAt !== null && at - sweptAt < LIMITS.sweepingEverySeconds) return true;
  remembered.sweptAt = at;
  let isGood = true;
  for (const { contextId, name: context, oldestDeath } of contexts) {
    if (oldestDeath === null || oldestDeath > at - SWEEP_AFTER_SECONDS) continue;
    try {
      const segments = await sweepContext(connection, { contextId, now: at });
      tally.sweptSegments += segments;
      if (segments > 0) log.info({ context, segments }, 'segments that were replaced were swept');
    } catch (error) {
      signal.throwIfAborted();
      log.error({ err: error, context }, 'segments of a context could not be swept');
      isGood = false;
    }
  }
  // Even if nothing was swept: the last removal may have been interrupted.
  const refused = await removeIdlePartitions(connection);
  if (refused.length > 0) log.error({ refused }, REFUSED_REMOVAL);
  return isGood && refused.length === 0;
}

/** A context's segments at a layout, which show whether a merge is due now or later. */
export type KnownSegments = {
  readonly layout: number;
  readonly totals: SegmentTotals;
  readonly open: readonly OpenSegmentRow[];
};

/** Reads the segments again only if the layout has changed; most of the time it has not. */
export async function readSegments(
  connection: Connection,
  { contextId, layout }: ContextNumbersRow,
  known: KnownSegments | undefined,
): Promise<KnownSegments> {
  if (known?.layout === layout) return known;
  const totals = await selectSegmentTotals(connection, contextId);
  return { layout, totals, open: await selectOpenSegments(connection, contextId) };
}

/** Returns how many segments are due to be merged at `now`, in epoch seconds. */
export const waitingSegments = ({ open }: KnownSegments, now: number): number =>
  [...waitingBySlice(open, now).values()].reduce((sum, waiting) => sum + waiting, 0);

/** Reads the imports of contexts with a new version: imports raise it, so most have nothing new. */
export async function checkImports(
  connection: Connection,
  contexts: readonly ContextNumbersRow[],
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

const idOf = ({ contextId }: ContextNumbersRow): number => contextId;
