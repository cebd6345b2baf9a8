import type { Pool } from 'pg';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isUnreachable } from '../database-error.ts';

type Control = Pick<Pool, 'query'>;

/**
 * Monitors the workers while pages are read from them: a worker that hangs refuses no connection,
 * and Citus waits for it without a time limit. Calls `onSilence` once if a worker does not answer;
 * a statement that is merely slow continues. Returns a function that ends the monitoring.
 */
export function watchWorkers(control: Control, onSilence: (error: Error) => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const silence = await silenceOf(control);
    if (isOver) return;
    if (silence) onSilence(silence);
    else lookLater();
  };
  const lookLater = (): void => {
    timer = setTimeout(() => void look(), LIMITS.workerLookMs);
  };
  lookLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** One check at a time, for all reads that are monitored. */
const looks = new WeakMap<Control, Promise<Error | null>>();

function silenceOf(control: Control): Promise<Error | null> {
  const known = looks.get(control);
  if (known !== undefined) return known;
  const look = askWorkers(control).finally(() => looks.delete(control));
  looks.set(control, look);
  return look;
}

/** Returns null if all workers answer, or if it is unknown whether they do. */
async function askWorkers(control: Control): Promise<Error | null> {
  try {
    const { rows } = await control.query<{ answer: boolean }>(DO_WORKERS_ANSWER);
    return rows[0]?.answer === false ? silent() : null;
  } catch (cause) {
    // The check ends at the time limit that `control` sets for its statements.
    return isUnreachable(cause) ? silent(cause) : null;
  }
}

const silent = (cause: unknown = new Error('a worker of Citus does not answer')): Error =>
  serviceError('unreachable', {}, { cause });

const DO_WORKERS_ANSWER = `
select coalesce(bool_and(citus_check_connection_to_node(nodename, nodeport)), true) as answer
from pg_catalog.pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'`;
