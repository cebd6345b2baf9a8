import type { ClientBase } from 'pg';

/** pg keeps what the server announced at log-in on the client, but does not type it. */
type ClientInternals = { processID?: number | null };

/** The server process that a connection was told it has. A pooler makes up a number of its own. */
export const announcedPid = (client: ClientBase): number | null =>
  (client as unknown as ClientInternals).processID ?? null;

/** As part of a text of several statements. */
export const BACKEND_PID = 'select pg_backend_pid() as pid';

/** The server process that answers a statement that is sent now. */
export async function selectBackendPid(
  client: ClientBase,
  timeoutMs: number,
): Promise<number | null> {
  const statement = { text: BACKEND_PID, query_timeout: timeoutMs };
  const { rows } = await client.query<{ pid: number }>(statement);
  return rows[0]?.pid ?? null;
}
