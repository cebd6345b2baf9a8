import type { EpochSeconds } from '../time/interval.ts';

/** What sinks are told of. */
export type AlertChange = 'began' | 'ended';

/** The beginning and end of an event. */
type Span = {
  readonly eventId: string;
  readonly startedAt: EpochSeconds;
  /** null: it is firing. */
  readonly endedAt: EpochSeconds | null;
};

export type EventChange = { readonly eventId: string; readonly change: AlertChange };

/**
 * Returns beginnings and ends of events, in order of time. `began` are new events, which may have
 * ended already; `changed` are events that existed before. At the same moment ends come first: a
 * key that fires again has ended before.
 */
export function eventChanges(began: readonly Span[], changed: readonly Span[]): EventChange[] {
  const beginnings = began.map(({ eventId, startedAt }) => ({
    eventId,
    change: 'began' as const,
    at: startedAt,
  }));
  const ends = [...changed, ...began].flatMap(({ eventId, endedAt }) =>
    endedAt === null ? [] : [{ eventId, change: 'ended' as const, at: endedAt }],
  );
  return [...ends, ...beginnings]
    .sort((a, b) => a.at - b.at)
    .map(({ eventId, change }) => ({ eventId, change }));
}
