import { replaceToken } from '../../../access/tokens.ts';
import { type Connection, inTransaction } from '../../../db/connection/connection.ts';

/** Replaces the first token of a user, as `user rotate` does. Returns the new one. */
export async function rotateToken(connection: Connection, username: string): Promise<string> {
  const replacement = { username, name: 'default', overlapSeconds: null, end: undefined };
  return (await inTransaction(connection, () => replaceToken(connection, replacement))).token;
}
