import type { Connection } from '../../../db/connection/connection.ts';

/** Runs pieces of work on a shared connection, one after the other. */
export type OnDatabase = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

export function oneAtATime(connection: Connection): OnDatabase {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = tail.then(() => work(connection));
    tail = result.catch(() => undefined);
    return result;
  };
}
