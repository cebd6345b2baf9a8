import { expect, it } from 'vitest';
import { NO_LOSSES } from '../../../db/sql/feeds.ts';
import { FeedCommits } from '../../../ingest/feed/feed-commits.ts';
import { DEFAULT_FEED_LIMITS } from '../../../ingest/feed/feed-limits.ts';
import { PendingFlows } from '../../../ingest/feed/pending-flows.ts';

it('a reader that waits for room is released when a commit fails for good', async () => {
  const pending = new PendingFlows({ latenessSeconds: 0, holdMs: 0 });
  const commits = new FeedCommits(pending, {
    reportsAtOnce: false,
    limits: { ...DEFAULT_FEED_LIMITS, pendingFlows: 0 },
    now: () => ({ wallMs: 0, monotonicMs: 0 as never }),
    stop: new AbortController().signal,
    commit: () => Promise.reject(new Error('out of range')),
    losses: () => ({ ...NO_LOSSES, lostFlows: 1 }),
    onLeftOut: () => undefined,
    onChange: () => undefined,
  });
  const waiting = commits.room();
  expect(waiting).toBeInstanceOf(Promise);
  await expect(commits.run()).rejects.toThrow('out of range');
  await waiting;
  expect(commits.room()).toBeNull();
});
