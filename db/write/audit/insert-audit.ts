import type { AuditActor, AuditEntry } from '../../../domain/audit/audit-entry.ts';
import type { Connection } from '../../connection/connection.ts';
import { commandActor } from './command-actor.ts';

/**
 * Records changes, in the transaction that makes them. by: whose change a server makes, which logs
 * it itself; left out: that of the user who runs this command, which the next server logs.
 */
export async function insertAudit(
  connection: Connection,
  entries: readonly AuditEntry[],
  by?: AuditActor,
): Promise<void> {
  if (entries.length === 0) return;
  const { user, from } = by ?? commandActor();
  await connection.query(
    `insert into audit (username, came_from, action, object, detail, is_logged)
     select $1, $2, action, object, detail::jsonb, $3
     from unnest($4::text[], $5::text[], $6::text[]) as entries (action, object, detail)`,
    [
      user,
      from,
      by !== undefined,
      entries.map(({ action }) => action),
      entries.map(({ object }) => object),
      entries.map(({ detail = {} }) => JSON.stringify(detail)),
    ],
  );
}
