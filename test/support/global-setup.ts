import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { databaseUrl, dropDatabase, makeReady, withClient } from './database.ts';
import { startTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's address of the server that the tests run on. */
    adminUrl: string;
    /** The migrated database that tests clone. */
    templateDatabase: string;
  }
}

/** One server and one migrated template database for the whole run. */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await findServer();
  const template = `countergraph_test_${randomBytes(4).toString('hex')}`;
  const tearDown = async () => {
    try {
      await dropDatabases(server.url, template);
    } finally {
      await server.remove();
    }
  };
  try {
    await withClient(server.url, (client) =>
      client.query(`create database ${template} template template0 encoding 'UTF8'`),
    );
    await makeReady(databaseUrl(server.url, template));
  } catch (error) {
    await tearDown();
    throw error;
  }
  provide('adminUrl', server.url);
  provide('templateDatabase', template);
  return tearDown;
}

/** An existing PostgreSQL where the environment names one, else an embedded one of our own. */
async function findServer(): Promise<{ url: string; remove: () => Promise<void> }> {
  const url = process.env['COUNTERGRAPH_TEST_DATABASE_URL'];
  return url ? { url, remove: async () => undefined } : startTestServer();
}

/** The template and what tests that failed left behind; all their names begin with its name. */
async function dropDatabases(admin: string, template: string): Promise<void> {
  const { rows } = await withClient(admin, (client) =>
    client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [template],
    ),
  );
  for (const { datname } of rows) {
    await dropDatabase(admin, datname);
  }
}
