import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { distribute, joinDatabases, workersOf } from './citus.ts';
import { databaseUrl, dropOnAll, makeReady, sameNameAs, withClient } from './database.ts';
import { rowsOf } from './rows-of.ts';
import { startTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the tests' server, with a superuser's credentials. */
    adminUrl: string;
    /** The migrated database that tests clone. */
    templateDatabase: string;
    /** The same for the workers, if that server is a Citus coordinator. */
    workerUrls: readonly string[];
  }
}

/** One server and one migrated template database for the whole run. */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await findServer();
  const template = `countergraph_test_${randomBytes(4).toString('hex')}`;
  const workers = server.isCluster ? await workersOf(server.url) : [];
  const nodes = [server.url, ...workers];
  const tearDown = async () => {
    try {
      await dropDatabases(nodes, template);
    } finally {
      await server.remove();
    }
  };
  try {
    for (const node of nodes) {
      await withClient(node, (client) =>
        client.query(`create database ${template} template template0 encoding 'UTF8'`),
      );
    }
    await makeTemplate(databaseUrl(server.url, template), workers);
  } catch (error) {
    await tearDown();
    throw error;
  }
  provide('adminUrl', server.url);
  provide('workerUrls', workers);
  provide('templateDatabase', template);
  return tearDown;
}

async function makeTemplate(url: string, workers: readonly string[]): Promise<void> {
  if (workers.length > 0) await joinDatabases(url, workers.map(sameNameAs(url)));
  await makeReady(url);
  if (workers.length > 0) await distribute(url);
}

type Server = {
  readonly url: string;
  /** Whether it is a Citus coordinator: every test database is then distributed. */
  readonly isCluster: boolean;
  readonly remove: () => Promise<void>;
};

/** The PostgreSQL server that the environment names, or else a new embedded one. */
async function findServer(): Promise<Server> {
  const cluster = process.env['COUNTERGRAPH_TEST_CITUS_URL'];
  const url = cluster ?? process.env['COUNTERGRAPH_TEST_DATABASE_URL'];
  if (!url) return { ...(await startTestServer()), isCluster: false };
  return { url, isCluster: cluster !== undefined, remove: async () => undefined };
}

/** Drops the template and what failed tests left behind: all names start with the template's. */
async function dropDatabases(nodes: readonly string[], template: string): Promise<void> {
  const names = new Set<string>();
  for (const node of nodes) {
    const text = 'select datname from pg_database where starts_with(datname, $1)';
    const rows = await rowsOf<{ datname: string }>(node, text, [template]);
    for (const { datname } of rows) names.add(datname);
  }
  for (const name of names) await dropOnAll(nodes, name);
}
