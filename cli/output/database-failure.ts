import { outcomeOf } from '../../db/connection/transaction-outcome.ts';
import { errorCode, isUnreachable } from '../../db/database-error.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';

/** What a command does in one transaction, in the words of its messages. */
type OneTransaction = {
  /** What was done if nothing was: `flows.csv: nothing of it was imported`. */
  readonly undone: string;
  /** If nobody knows: `flows.csv: it may have been imported`. */
  readonly unknown: string;
  /** What to do again: `import it again`. */
  readonly again: string;
};

/** disk_full, out_of_memory, too_many_connections and the like. */
const OUT_OF_RESOURCES = /^53/;

/**
 * Returns an error that says what became of the work if the database failed under it, and what to
 * do; any other error as it is.
 */
export function databaseFailure(error: unknown, { undone, unknown, again }: OneTransaction) {
  const isShort = OUT_OF_RESOURCES.test(errorCode(error) ?? '');
  const isAway = !isShort && isUnreachable(error);
  if (!isAway && !isShort) return error;
  const reason = isAway ? `the database went away (${reasonOf(error)})` : reasonOf(error);
  const when = isAway ? 'once it is back' : 'once it has what it lacks';
  const what = outcomeOf(error) === 'unknown' ? unknown : undone;
  return new Error(`${what}, because ${reason}: ${again} ${when}`, { cause: error });
}
