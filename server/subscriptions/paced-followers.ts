import { type FollowedOptions, Followers } from './followers.ts';
import type { LiveParts } from './live-parts.ts';
import { Pace } from './pace.ts';

type Work = {
  /** Answers the subscribers; resolves to false if that failed and is worth a retry. */
  readonly ask: () => Promise<boolean>;
  /** Called when the last subscriber has left. */
  readonly unwatch: () => void;
};

/** The subscribers of one query, and the pace at which they are answered until all have left. */
export function pacedFollowers(
  parts: LiveParts,
  { operation, requested, onEnd }: FollowedOptions,
  { ask, unwatch }: Work,
): { readonly followers: Followers; readonly pace: Pace } {
  const followers = new Followers(parts, {
    operation,
    requested,
    onConfirmed: () => pace.due(),
    onEnd: () => {
      pace.end();
      unwatch();
      onEnd();
    },
  });
  const pace = new Pace(followers.followed.everyMs, ask, (err) =>
    parts.service.log.error({ err }, 'a subscription could not be answered'),
  );
  return { followers, pace };
}
