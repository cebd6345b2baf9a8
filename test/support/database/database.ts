import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Migration, migrate } from '../../../db/migrate.ts';
import { convertDatabase } from '../../../store/from-1.7/convert-database.ts';
import { clearDatabase, joinDatabases } from './citus.ts';
import { closePoolAt, rowsOf } from './rows-of.ts';

export type TestDatabase = { readonly url: string; drop(): Promise<void> };

/** A migrated, empty database for one test file, cloned from the run's template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(inject('templateDatabase'));
}

/** A copy of a database; nothing may be connected to the original meanwhile. */
export async function cloneDatabase({ url }: TestDatabase): Promise<TestDatabase> {
  await closePoolAt(url);
  return createFrom(new URL(url).pathname.slice(1));
}

/** A database that was never migrated, for a test that fills it itself. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const database = await createFrom("template0 encoding 'UTF8'");
  const workers = inject('workerUrls');
  if (workers.length > 0) await joinDatabases(database.url, workers.map(sameNameAs(database.url)));
  return database;
}

/** `template`: a database's name, optionally followed by options. */
async function createFrom(template: string): Promise<TestDatabase> {
  const admin = inject('adminUrl');
  const nodes = [admin, ...inject('workerUrls')];
  const name = `${inject('templateDatabase')}_${randomBytes(6).toString('hex')}`;
  await Promise.all(nodes.map((node) => createOn(node, name, template)));
  return { url: databaseUrl(admin, name), drop: () => dropOnAll(nodes, name) };
}

async function createOn(node: string, name: string, template: string): Promise<void> {
  if (inject('workerUrls').length > 0) await clearDatabase(node, template);
  // Copying files costs a third of writing each page to the log, and there are hundreds of copies.
  await rowsOf(node, `create database ${name} template ${template} strategy file_copy`);
}

/** Drops a database on each node. In a cluster, the nodes keep connecting to each other's. */
export async function dropOnAll(nodes: readonly string[], name: string): Promise<void> {
  const refuse = 'update pg_database set datallowconn = false where datname = $1';
  if (nodes.length > 1) {
    for (const node of nodes) await rowsOf(node, refuse, [name]);
    for (const node of nodes) await clearDatabase(node, name);
  }
  for (const node of nodes) await dropUnused(node, name);
}

const IN_USE = '55006';

/** A worker of Citus in the background may connect once more while the others are terminated. */
async function dropUnused(node: string, name: string): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await dropDatabase(node, name);
      return;
    } catch (error) {
      const isInUse = error instanceof pg.DatabaseError && error.code === IN_USE;
      if (!isInUse || attempts === 5) throw error;
    }
  }
}

export const sameNameAs =
  (url: string) =>
  (node: string): string =>
    databaseUrl(node, new URL(url).pathname.slice(1));

/** Migrates a database to the newest schema, as every command does first. */
export async function makeReady(url: string): Promise<Migration> {
  const migration = await migrate(url);
  await convertDatabase({ databaseUrl: url });
  return migration;
}

export async function dropDatabase(admin: string, name: string): Promise<void> {
  await closePoolAt(databaseUrl(admin, name));
  await rowsOf(admin, `drop database if exists ${name} with (force)`);
}

/** The address of another database on the same server. */
export function databaseUrl(admin: string, name: string): string {
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs `work` on a connection of its own. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
