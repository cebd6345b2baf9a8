import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import { withDatabase } from '../database/run-with-database.ts';

/** Runs `work`, which reads or changes users, on a connection of its own. */
export const withUsers = <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
  withDatabase(({ url: databaseUrl, signal }) =>
    withConnection({ databaseUrl, signal }, 'user', work),
  );

/** Does the same in one transaction. */
export const changeUsers = <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
  withUsers((connection) => inTransaction(connection, () => work(connection)));

/** Prints the token alone on standard output, so that a script can read it from there. */
export function showToken(token: string | null): void {
  if (token === null) return;
  console.error('The token, which is not shown again:');
  console.log(token);
}
