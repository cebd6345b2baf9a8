import type { AlertTrialQuery } from '../../../generated/operations.ts';
import { counted } from '../../format/counted.ts';
import type { Moments } from '../../format/moment.ts';
import type { Span } from '../choices.ts';

export type Trial = NonNullable<NonNullable<AlertTrialQuery['context']>['alertTrial']>;

type TrialEvent = Trial['events'][number];

/** The events that a rule would have had for one key. */
export type TriedKey = {
  /** null: the whole group, or the keys beyond the most that may fire. */
  readonly key: TrialEvent['key'];
  readonly events: readonly TrialEvent[];
  /** How long it would have fired in all. */
  readonly seconds: number;
  /** The event with the largest value. */
  readonly worst: TrialEvent;
};

/** Groups the events of a trial by key: the key that would have fired for longest comes first. */
export function triedKeys({ events, window }: Trial): readonly TriedKey[] {
  const byKey = new Map<string | null, TrialEvent[]>();
  for (const event of events) {
    const key = event.key?.key ?? null;
    byKey.set(key, [...(byKey.get(key) ?? []), event]);
  }
  const secondsOf = ({ startedAt, endedAt }: TrialEvent): number =>
    (endedAt ?? window?.to ?? startedAt) - startedAt;
  return [...byKey.values()]
    .flatMap((own) => {
      const [worst] = own.toSorted((a, b) => Number(b.peakValue) - Number(a.peakValue));
      const seconds = own.reduce((sum, event) => sum + secondsOf(event), 0);
      return worst ? [{ key: worst.key, events: own, seconds, worst }] : [];
    })
    .sort((a, b) => b.seconds - a.seconds || b.events.length - a.events.length);
}

/** What a trial found, in a sentence. */
export function trialSentence({ fired, window }: Trial, moments: Moments): string {
  if (!window) return 'There are no data in this time to test the rule on.';
  const times = fired === 0 ? 'not have fired' : `have fired ${counted(fired, 'time')}`;
  return `It would ${times}: ${moments.range(window.from, window.to)}.`;
}

/** Where an event is drawn in a window, in percent; never so narrow that it is not seen. */
export function drawnAt({ startedAt, endedAt }: TrialEvent, { from, to }: Span) {
  const part = (at: number) => (100 * (at - from)) / Math.max(1, to - from);
  const left = Math.min(99.5, Math.max(0, part(startedAt)));
  return { left, width: Math.max(0.5, Math.min(100, part(endedAt ?? to)) - left) };
}
