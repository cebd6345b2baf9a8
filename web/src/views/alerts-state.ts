import type { Fault } from '../api/fault.ts';
import type { StreamState } from '../api/use-stream.ts';
import type { Rule } from '../data/alerts/firing.ts';

/** What is known of the context's alerts, for every view. */
export type AlertsState = {
  /** null: not known yet. */
  readonly rules: readonly Rule[] | null;
  /** Why that may be old, or is not known; null: it is what the server last said. */
  readonly fault: Fault | null;
  /** Of what begins and ends; only a live view follows it. */
  readonly stream: StreamState;
  /** Asks again, unless that is under way: for views that load. */
  readonly refresh: () => void;
};
