/** What became of a transaction that failed. */
export type TransactionOutcome = 'undone' | 'unknown';

const outcomes = new WeakMap<Error, TransactionOutcome>();

/** Notes what became of the transaction that ended with an error. */
export function noteOutcome(error: unknown, outcome: TransactionOutcome): void {
  if (error instanceof Error) outcomes.set(error, outcome);
}

/** Returns what became of the transaction that ended with this error; null: there was none. */
export const outcomeOf = (error: unknown): TransactionOutcome | null =>
  error instanceof Error ? (outcomes.get(error) ?? null) : null;
