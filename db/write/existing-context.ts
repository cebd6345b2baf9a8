import type { Connection } from '../connection/connection.ts';
import { type ContextRow, selectContext } from './select-context.ts';
import { selectContextNames } from './select-context-names.ts';

/** Returns the context of that name. Errors: there is none; the message names those that exist. */
export async function existingContext(connection: Connection, name: string): Promise<ContextRow> {
  const found = await selectContext(connection, name);
  if (found) return found;
  const names = await selectContextNames(connection);
  const known = names.length > 0 ? `the contexts are ${names.join(', ')}` : 'there is none yet';
  throw new Error(`There is no context ${name} (${known})`);
}
