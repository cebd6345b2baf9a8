import type { Connection } from '../connection/connection.ts';
import { MAY_KEEP } from './server-state.ts';
import { TOKEN_LIVES } from './tokens.ts';

/** Returns the context of that name. Errors: there is none; the message names those that exist. */
export async function existingContext(connection: Connection, name: string): Promise<ContextRow> {
  const found = await selectContext(connection, name);
  if (found) return found;
  const names = await selectContextNames(connection);
  const known = names.length > 0 ? `the contexts are ${names.join(', ')}` : 'there is none yet';
  throw new Error(`There is no context ${name} (${known})`);
}

export type ContextRow = { contextId: number; sliceSeconds: number; retentionDays: number | null };

/** Selects the context of that name, or null. */
export async function selectContext(
  connection: Connection,
  name: string,
): Promise<ContextRow | null> {
  const { rows } = await connection.query<ContextRow>(
    `select context_id as "contextId", slice_seconds as "sliceSeconds",
       retention_days as "retentionDays"
     from contexts where name = $1`,
    [name],
  );
  return rows[0] ?? null;
}

/** Selects the names of all contexts, in order. */
export async function selectContextNames(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    'select name from contexts order by name',
  );
  return rows.map((row) => row.name);
}

/** A context's numbers: the version of its data, and the layout of the data in segments. */
export type ContextNumbersRow = {
  contextId: number;
  name: string;
  version: number;
  layout: number;
  /** When the segment that has waited longest to be swept died, epoch seconds; null: none waits. */
  oldestDeath: number | null;
};

/** Selects the numbers of every context; none if this role cannot merge anything here. */
export async function selectContextNumbers(connection: Connection): Promise<ContextNumbersRow[]> {
  const { rows } = await connection.query<ContextNumbersRow>(
    `select context_id as "contextId", c.name, v.version::float8 as version,
       v.layout::float8 as layout,
       (select extract(epoch from min(died_at))::float8 from segments s
        where s.context_id = c.context_id and s.died is not null) as "oldestDeath"
     from contexts c join context_versions v using (context_id)
     where ${MAY_KEEP} order by context_id`,
  );
  return rows;
}

/** Selects the names of a context's probes by id. */
export async function selectProbeNames(
  connection: Connection,
  contextId: number,
): Promise<Map<number, string>> {
  const { rows } = await connection.query<{ probeId: number; name: string }>(
    'select probe_id as "probeId", name from probes where context_id = $1',
    [contextId],
  );
  return new Map(rows.map(({ probeId, name }) => [probeId, name]));
}

export type DemoState = {
  /** Whether there is a context of that name. */
  readonly isThere: boolean;
  /** Whether the user of that name has that token, and a grant for the context. */
  readonly isSignedIn: boolean;
};

/** Selects the state of the demo of that name. digest: SHA-256 of its token. */
export async function selectDemoState(
  connection: Connection,
  name: string,
  digest: Buffer,
): Promise<DemoState> {
  const { rows } = await connection.query<DemoState>(
    `select exists (select from contexts where name = $1) as "isThere",
       exists (
         select from users u join tokens t using (user_id) join grants g using (user_id)
           join contexts c using (context_id)
         where u.username = $1 and c.name = $1 and t.digest = $2 and ${TOKEN_LIVES}
       ) as "isSignedIn"`,
    [name, digest],
  );
  return rows[0] ?? { isThere: false, isSignedIn: false };
}

/** Returns whether there are neither users nor contexts: nobody has used the database yet. */
export async function selectIsUnused(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ isUnused: boolean }>(
    `select not exists (select from users) and not exists (select from contexts) as "isUnused"`,
  );
  return rows[0]?.isUnused ?? false;
}

/** Creates a context; the other columns keep their defaults. Returns its context_id. */
export async function insertContext(
  connection: Connection,
  context: { name: string; sliceSeconds: number; retentionDays: number | null },
): Promise<number> {
  const { rows } = await connection.query<{ contextId: number }>(
    `insert into contexts (name, slice_seconds, retention_days) values ($1, $2, $3)
     returning context_id as "contextId"`,
    [context.name, context.sliceSeconds, context.retentionDays],
  );
  return Number(rows[0]?.contextId);
}

export const updateContext = async (
  connection: Connection,
  context: { contextId: number; sliceSeconds: number; retentionDays: number | null },
): Promise<void> => {
  await connection.query(
    'update contexts set slice_seconds = $2, retention_days = $3 where context_id = $1',
    [context.contextId, context.sliceSeconds, context.retentionDays],
  );
};
