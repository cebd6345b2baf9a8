import { LIMITS } from '../../domain/limits.ts';

/** Limits of a feed. Tests use smaller ones. */
export type FeedLimits = {
  readonly pendingFlows: number;
  readonly holdMs: number;
  readonly commitEveryMs: number;
  readonly tickMs: number;
  readonly firstRetryMs: number;
  readonly lastCommitMs: number;
  readonly lossesEveryMs: number;
  readonly besideWaitMs: number;
};

export const DEFAULT_FEED_LIMITS: FeedLimits = {
  pendingFlows: LIMITS.feedPendingFlows,
  holdMs: LIMITS.feedHoldMs,
  commitEveryMs: LIMITS.feedCommitEveryMs,
  tickMs: LIMITS.feedTickMs,
  firstRetryMs: LIMITS.feedFirstRetryMs,
  lastCommitMs: LIMITS.feedLastCommitMs,
  lossesEveryMs: LIMITS.feedLossesEveryMs,
  besideWaitMs: LIMITS.feedBesideWaitMs,
};
