import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../../db/connection/connection.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import { type SegmentTotals, selectSegmentTotals } from '../../db/sql/manifest.ts';
import { type RefusedRemoval, removeIdlePartitions } from '../../db/sql/remove-partitions.ts';
import { LIMITS } from '../../domain/limits.ts';
import { sweepContext } from '../sweep/sweep-context.ts';
import { mergeContext } from './merge-context.ts';

type CompactTarget = {
  readonly databaseUrl: string;
  readonly context: string;
  /** The clock, epoch seconds. */
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Called before waiting for another process that merges. */
  readonly onWaiting?: () => void;
  /** Called after each merge. */
  readonly onMerged?: (merges: number) => void;
};

export type CompactReport = {
  readonly context: string;
  readonly merges: number;
  /** Segments that were replaced. */
  readonly merged: number;
  /** Roll-ups that were made. */
  readonly rollUps: number;
  readonly before: SegmentTotals;
  readonly after: SegmentTotals;
  /** Earlier segments that were removed from disk. */
  readonly swept: number;
  /** What could not be merged, in words. */
  readonly damaged: readonly string[];
  /** Partitions, of any context, that are not needed but could not be removed. */
  readonly refused: readonly RefusedRemoval[];
};

/**
 * Merges whatever can be merged now, sealing finished slices immediately, and sweeps what nobody
 * can need any more. The segments that it replaces are swept some minutes later, by a server or the
 * next run.
 */
export const compactContext = (target: CompactTarget): Promise<CompactReport> =>
  withConnection(target, 'compact', async (connection) => {
    const { context, now } = target;
    const { contextId } = await existingContext(connection, context);
    const before = await selectSegmentTotals(connection, contextId);
    const done = await mergeAll(target, connection, contextId);
    const swept = await sweepContext(connection, { contextId, now: now() });
    const refused = await removeIdlePartitions(connection);
    const after = await selectSegmentTotals(connection, contextId);
    return { context, ...done, before, after, swept, refused };
  });

async function mergeAll(
  { now, signal, onWaiting, onMerged }: CompactTarget,
  connection: Connection,
  contextId: number,
): Promise<Pick<CompactReport, 'merges' | 'merged' | 'rollUps' | 'damaged'>> {
  const done = { merges: 0, merged: 0, rollUps: 0 };
  let damaged: string[] = [];
  let isWaiting = false;
  for (;;) {
    damaged = [];
    const outcome = await mergeContext(connection, {
      contextId,
      now,
      signal,
      // Seal finished slices immediately: whoever runs this knows that no more data will arrive.
      sealAfterSeconds: 0,
      onMerged(_, { inputs }) {
        done.merges += 1;
        done.merged += inputs.length;
        onMerged?.(done.merges);
      },
      onRolledUp() {
        done.rollUps += 1;
      },
      onDamaged({ message }, inputs) {
        const ids = inputs.map(({ segmentId }) => segmentId);
        damaged.push(`segments ${ids.join(', ')}: ${message}`);
      },
    });
    if (outcome === 'done') return { ...done, damaged };
    if (!isWaiting) onWaiting?.();
    isWaiting = true;
    await sleep(LIMITS.mergeCheckMs, undefined, { signal });
  }
}
