import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { reasonOf } from '../domain/text/reason-of.ts';
import { PatientClient } from './connection/patient-client.ts';
import { findPooling, NEEDS_SESSION } from './connection/pooling.ts';
import { adapt, isFormer, isOfLast17, requireLast17 } from './former-schema.ts';
import { projectRoot } from './project-root.ts';

/** The schema version of a database that was never migrated. */
export const NO_SCHEMA = 'none';

/** The table that records the applied migrations. */
export const MIGRATIONS_TABLE = 'schema_migrations';

const OLDEST_SERVER = 150_000;

/**
 * The advisory lock held to change the schema. It is that of node-pg-migrate, with which version
 * 2.0 and older migrated, so that they and this version wait for each other.
 */
const MIGRATION_LOCK = '7241865325823964';

export type Migration = {
  /** The schema's version before and after: the name of its newest migration, or `none`. */
  readonly from: string;
  readonly to: string;
  readonly applied: readonly string[];
};

/**
 * Brings the schema up to date. Errors: why it cannot, as a message for the operator. `folder`
 * holds the migrations: plain SQL files that are applied in the order of their names, each as a
 * whole.
 */
export async function migrate(
  databaseUrl: string,
  folder: string = migrationsFolder(),
): Promise<Migration> {
  const client = await connect(databaseUrl);
  try {
    await requireSuitableServer(client);
    const { from, pending } = await compareVersions(client, folder);
    return pending
      ? await applyPending(client, { databaseUrl, folder })
      : { from, to: from, applied: [] };
  } finally {
    await client.end();
  }
}

/** Throws, with a message for the operator, unless the schema is the one that this code needs. */
export async function requireMigrated(
  databaseUrl: string,
  folder: string = migrationsFolder(),
): Promise<void> {
  const client = await connect(databaseUrl);
  try {
    await requireSuitableServer(client);
    const { from, pending } = await compareVersions(client, folder);
    if (!pending) return;
    const to = (await listMigrations(folder)).at(-1);
    throw new Error(
      `The database schema is at ${from}, and this version needs ${to}: run migrate, or start ` +
        'the service without --no-migrate',
    );
  } finally {
    await client.end();
  }
}

/** Returns the name of the newest applied migration, or `none`. */
export async function schemaVersion(client: pg.ClientBase | pg.Pool): Promise<string> {
  return (await selectApplied(client)).at(-1) ?? NO_SCHEMA;
}

/**
 * Returns the version that this code works with: the name of its newest migration. It is read once,
 * because an upgrade may replace the files of a program that still runs.
 */
export function expectedSchemaVersion(): Promise<string> {
  expected ??= listMigrations(migrationsFolder()).then((names) => names.at(-1) ?? NO_SCHEMA);
  return expected;
}

let expected: Promise<string> | undefined;

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new PatientClient({
    url: databaseUrl,
    application_name: 'countergraph migrate',
  });
  // If a connection breaks while idle, the next statement reports it as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (cause) {
    throw new Error(`Database is not reachable (${reasonOf(cause)}): check DATABASE_URL`, {
      cause,
    });
  }
}

async function requireSuitableServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Server>(
    `select current_setting('server_version_num')::integer as number,
            current_setting('server_version') as version,
            current_setting('server_encoding') as encoding`,
  );
  const unfit = rows.map(unfitness).find((reason) => reason !== null);
  if (unfit) {
    throw new Error(unfit);
  }
}

type Server = { readonly number: number; readonly version: string; readonly encoding: string };

/** Returns why a server cannot be used, or null if it can. */
export function unfitness({ number, version, encoding }: Server): string | null {
  if (number < OLDEST_SERVER) {
    return `The database must be PostgreSQL 15 or newer, it is ${version}: upgrade it`;
  }
  if (encoding !== 'UTF8') {
    return (
      `The database's encoding must be UTF8, it is ${encoding}: ` +
      "create one with encoding 'UTF8' and template template0"
    );
  }
  return null;
}

type Comparison = { readonly from: string; readonly pending: boolean };

async function compareVersions(client: pg.Client, folder: string): Promise<Comparison> {
  const known = await listMigrations(folder);
  const before = await selectApplied(client);
  const from = before.at(-1) ?? NO_SCHEMA;
  if (isFormer(before)) {
    await requireLast17(client, from);
    return { from, pending: true };
  }
  const unknown = before.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `The database is newer than this program, which does not know ${unknown.join(', ')}: ` +
        'install the version of countergraph that migrated it, or a newer one',
    );
  }
  return { from, pending: known.length > before.length };
}

async function applyPending(
  client: pg.Client,
  { databaseUrl, folder }: { databaseUrl: string; folder: string },
): Promise<Migration> {
  await requirePrimary(client);
  await requireRights(client);
  await requireSession(client, databaseUrl);
  // Two processes may start at once: the second waits here, then finds nothing left to do. The lock
  // ends with the connection.
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  const { from, pending } = await compareVersions(client, folder);
  const adapted = isOfLast17(from) ? await adaptLast17(client, folder) : [];
  const applied = pending ? await applyAll(client, folder) : [];
  return { from, to: applied.at(-1) ?? adapted.at(-1) ?? from, applied: [...adapted, ...applied] };
}

/** Returns the migrations that count as applied from then on. */
async function adaptLast17(client: pg.Client, folder: string): Promise<string[]> {
  const { table } = await findMigrations(client);
  const [baseline] = await listMigrations(folder);
  if (table === null || baseline === undefined) throw new Error('there are no migrations');
  await adapt(client, { folder, table, baseline });
  return [baseline];
}

/**
 * Throws behind a pooler in transaction mode: the lock would not last from one migration to the
 * next.
 */
async function requireSession(client: pg.Client, databaseUrl: string): Promise<void> {
  if ((await findPooling(client, () => connect(databaseUrl))) === 'transaction') {
    throw new Error(`The schema must be migrated, which is not possible here: ${NEEDS_SESSION}`);
  }
}

async function requirePrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>(
    'select pg_is_in_recovery() as standby',
  );
  if (rows[0]?.standby) {
    throw new Error('The database is a standby and not up to date: migrate its primary');
  }
}

async function requireRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Place>(
    `select current_user as role, schema, current_database() as database
     from current_schema() as schema
     where not coalesce(has_schema_privilege(schema, 'create'), false)`,
  );
  for (const { role, schema, database } of rows) {
    throw new Error(
      `Role ${role} must be allowed to create tables in schema ${schema ?? '(none in search_path)'} ` +
        `of database ${database}: grant it CREATE on the schema, or change its search_path`,
    );
  }
}

/** Where a role must create tables and may not. */
type Place = {
  readonly role: string;
  readonly schema: string | null;
  readonly database: string;
};

/** Returns the migrations that were applied, in the order of their names. */
async function applyAll(client: pg.Client, folder: string): Promise<string[]> {
  const table = await ensureMigrationsTable(client);
  const before = await selectApplied(client);
  const pending = (await listMigrations(folder)).filter((name) => !before.includes(name));
  for (const name of pending) {
    const sql = await readFile(join(folder, `${name}.sql`), 'utf8');
    try {
      await client.query('begin');
      await client.query(sql);
      await client.query(`insert into ${table} (name, run_on) values ($1, now())`, [name]);
      await client.query('commit');
    } catch (cause) {
      // If the connection is lost, PostgreSQL rolls back, and the cause says more.
      await client.query('rollback').catch(() => undefined);
      throw new Error(`Migration ${name} failed and changed nothing: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }
  return pending;
}

/** Creates the table of migrations if there is none, and returns it as SQL names it. */
async function ensureMigrationsTable(client: pg.Client): Promise<string> {
  const { table, inSchema } = await findMigrations(client);
  if (table !== null) return table;
  const created = `${pg.escapeIdentifier(inSchema)}.${MIGRATIONS_TABLE}`;
  await client.query(
    `create table ${created} (
       id serial primary key, name varchar(255) not null, run_on timestamp not null
     )`,
  );
  return created;
}

async function selectApplied(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const { table } = await findMigrations(client);
  if (table === null) {
    await requireNoHiddenTables(client);
    return [];
  }
  const applied = await client.query<{ name: string }>(
    `select name from ${table} order by run_on, id`,
  );
  return applied.rows.map(({ name }) => name);
}

type Migrations = {
  /** As SQL names it; null: there is none. */
  readonly table: string | null;
  /** Where it is, or is to be created. */
  readonly inSchema: string;
};

/**
 * Finds the table of migrations, which is beside the tables. Version 1.6 and older kept it in
 * `public` even if search_path led the tables elsewhere; there it stays.
 */
async function findMigrations(client: pg.ClientBase | pg.Pool): Promise<Migrations> {
  const { rows } = await client.query<Found>(WHERE);
  const [{ schema, isBeside, isInPublic } = NOWHERE] = rows;
  const inSchema = !isBeside && isInPublic ? 'public' : (schema ?? 'public');
  const table = `${pg.escapeIdentifier(inSchema)}.${MIGRATIONS_TABLE}`;
  return { table: isBeside || isInPublic ? table : null, inSchema };
}

type Found = {
  /** The schema of the tables, or the one in which they would be created. */
  readonly schema: string | null;
  readonly isBeside: boolean;
  /** Whether it is in public, and the tables are elsewhere. */
  readonly isInPublic: boolean;
};

const NOWHERE: Found = { schema: null, isBeside: false, isInPublic: false };

const WHERE = `
with own as (
  select coalesce(
    (select schemaname from pg_tables where tablename = 'contexts'
       and to_regclass(format('%I.%I', schemaname, tablename)) = to_regclass('contexts')),
    current_schema()) as schema
)
select schema,
  exists (select from pg_tables where schemaname = schema and tablename = '${MIGRATIONS_TABLE}')
    as "isBeside",
  to_regclass('contexts') is not null and to_regclass('public.contexts') is null
    and to_regclass('public.${MIGRATIONS_TABLE}') is not null as "isInPublic"
from own`;

/** Statements do not find the tables by their names. */
export class HiddenTables extends Error {}

/** Errors: HiddenTables. */
async function requireNoHiddenTables(client: pg.ClientBase | pg.Pool): Promise<void> {
  const { rows } = await client.query<{ role: string; path: string; schema: string }>(
    `select current_user as role, current_setting('search_path') as path,
       relnamespace::regnamespace::text as schema
     from pg_class as found
     where relname = 'contexts' and relkind = 'r' and to_regclass('contexts') is null
       and exists (select from pg_class where relname = 'counter_groups' and relkind = 'r'
         and relnamespace = found.relnamespace)`,
  );
  for (const { role, path, schema } of rows) {
    throw new HiddenTables(
      `The search_path of role ${role} must contain the schema of the tables, ${schema}, ` +
        `it is ${path}: change it with ALTER ROLE, or grant USAGE on the schema`,
    );
  }
}

async function listMigrations(folder: string): Promise<string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();
}

const migrationsFolder = (): string => join(projectRoot(), 'migrations');
