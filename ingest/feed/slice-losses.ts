import { addSliceLosses, type FeedLossCounts, NO_LOSSES } from '../../db/sql/feeds.ts';
import type { ImportSession } from '../session/import-session.ts';
import { lossesSince } from './losses-since.ts';

/** When a feed notices losses: in stream time, or by the clock before the stream has a time. */
type LossTime = { readonly newestUs: number; readonly nowMs: number };

/**
 * Adds the losses since the last addition to the slice that is being filled. Whether the
 * transaction that does so was committed may be unknown at first.
 */
export function sliceLosses(engine: number) {
  /** Losses up to here are added: in the current transaction, and in those committed before it. */
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
    /** Called when the transaction, or an earlier attempt at it, was committed. */
    commit(): void {
      committed = added;
    },
  };
}
