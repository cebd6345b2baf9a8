import type { FeedLossCounts } from '../../db/sql/feeds.ts';

/** Returns what was lost after `before`; null if nothing was. */
export function lossesSince(now: FeedLossCounts, before: FeedLossCounts): FeedLossCounts | null {
  const since: FeedLossCounts = {
    refusedLines: now.refusedLines - before.refusedLines,
    leftOutFlows: now.leftOutFlows - before.leftOutFlows,
    lostFlows: now.lostFlows - before.lostFlows,
    lostPackets: now.lostPackets - before.lostPackets,
    lostDatagrams: now.lostDatagrams - before.lostDatagrams,
  };
  return Object.values(since).some((count) => count > 0) ? since : null;
}
