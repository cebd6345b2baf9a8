import type { Retries } from '../../../db/sql/alert-deliveries.ts';
import type { OnDatabase } from './one-at-a-time.ts';
import type { Outcomes } from './outcomes.ts';
import type { Variable } from './sink-address.ts';

/** What the senders need. */
export type SendingOptions = {
  readonly onDatabase: OnDatabase;
  readonly outcomes: Outcomes;
  readonly variable: Variable;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly retries: Retries;
  /** How often to send the firing alerts to an Alertmanager again. */
  readonly repeatMs: number;
  /** How long a sink may take to answer. */
  readonly answerMs: number;
  /** Aborted when the connection is lost, since another server may notify by then. */
  readonly signal: AbortSignal;
};
