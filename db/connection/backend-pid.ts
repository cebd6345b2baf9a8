import type { ClientBase } from 'pg';

/** pg keeps the pid that the server announced at login on the client, but does not type it. */
type ClientInternals = { processID?: number | null };

/** Returns the server process that was announced to a connection. A pooler makes up a number. */
export const announcedPid = (client: ClientBase): number | null =>
  (client as unknown as ClientInternals).processID ?? null;

/** For use in a text of several statements. */
export const BACKEND_PID = 'select pg_backend_pid() as pid';

/** Returns the server process that answers a statement sent now. */
export async function selectBackendPid(
  client: ClientBase,
  timeoutMs: number,
): Promise<number | null> {
  const statement = { text: BACKEND_PID, query_timeout: timeoutMs };
  const { rows } = await client.query<{ pid: number }>(statement);
  return rows[0]?.pid ?? null;
}
