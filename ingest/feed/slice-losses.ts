import { addSliceLosses } from '../../db/write/feeds/add-slice-losses.ts';
import { type FeedLossCounts, NO_LOSSES } from '../../db/write/feeds/feed-losses.ts';
import type { ImportSession } from '../session/import-session.ts';
import { lossesSince } from './losses-since.ts';

/** When a feed notices losses: in the time of its stream, by the clock before it has any. */
export type LossTime = { readonly newestUs: number; readonly nowMs: number };

/**
 * Adds what was lost since it was last added to the slice that is being filled, in transactions of
 * which nobody knows at first whether they have happened.
 */
export function sliceLosses(engine: number) {
  /** Up to what all is added, in the transaction and before it. */
  let added = NO_LOSSES;
  let committed = NO_LOSSES;
  return {
    async add(
      { connection, contextId }: ImportSession,
      losses: FeedLossCounts,
      { newestUs, nowMs }: LossTime,
    ): Promise<void> {
      added = committed;
      const since = lossesSince(losses, added);
      if (since === null) return;
      const at = newestUs > 0 ? Math.floor(newestUs / 1e6) : Math.floor(nowMs / 1000);
      const slice = { contextId, engine, at, losses: since };
      if (await addSliceLosses(connection, slice)) added = losses;
    },
    /** The transaction, or an attempt at it before, was committed. */
    commit(): void {
      committed = added;
    },
  };
}
