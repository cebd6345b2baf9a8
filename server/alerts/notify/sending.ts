import type { OnDatabase } from './one-at-a-time.ts';
import type { Outcomes } from './outcomes.ts';
import type { Variable } from './sink-address.ts';

/** What senders need. */
export type SendingOptions = {
  readonly onDatabase: OnDatabase;
  readonly outcomes: Outcomes;
  readonly variable: Variable;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** How often an Alertmanager is sent again what is firing. */
  readonly repeatMs: number;
  /** How long a sink may take to answer. */
  readonly answerMs: number;
  /** Aborted when the connection is lost, as another server may notify by then. */
  readonly signal: AbortSignal;
};
