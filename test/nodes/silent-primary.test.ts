import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { addUser, removeUser } from '../../access/users.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { openProxy } from '../support/database/proxy.ts';
import { importLines } from '../support/files/import-lines.ts';
import { group, guidOf, T0 } from '../support/lab/lab.ts';
import {
  ADA,
  basic,
  type Credentials,
  startTestService,
  type TestService,
} from '../support/lab/service.ts';

const PATIENT = { timeout: 40_000 };

/** Known to both databases, until the primary removes her. */
const EVE: Credentials = { username: 'eve', token: 'eve-token' };

/**
 * A way to a database that can hang: connections are accepted, and nothing is answered. It counts
 * the connections for reading that are opened meanwhile.
 */
async function openWay(databaseUrl: string) {
  let hangs = false;
  let attempts = 0;
  const clients = new Set<Socket>();
  const proxy = await openProxy(databaseUrl, (client, upstream) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    if (!hangs) return void client.pipe(upstream).pipe(client);
    // The first message of a connection says what it is for.
    client.on('data', (sent) => {
      if (sent.includes('application_name\0countergraph\0')) attempts += 1;
    });
  });
  return {
    ...proxy,
    attempts: () => attempts,
    hang(isHanging: boolean) {
      hangs = isHanging;
      for (const client of clients) client.destroy();
    },
  };
}

let primary: TestDatabase;
let recovery: TestDatabase;
let way: Awaited<ReturnType<typeof openWay>>;
let lab: TestService;
let minutes = 0;

const count = (database: TestDatabase, value: number) => {
  minutes += 1;
  const line = { group: guidOf(1), key: 'k', ts: T0 + minutes * 60, values: { 0: value } };
  return importLines(database.url, 'lab', [line]);
};

async function createWith(declaration: object, value: number): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await withClient(database.url, async (client) => {
    await applyDeclaration(client, { context: 'lab', groups: [group(1)], ...declaration });
    for (const { username: name, token } of [ADA, EVE]) {
      await addUser(client, { name, token, contexts: ['lab'] });
    }
  });
  await count(database, value);
  return database;
}

beforeAll(async () => {
  recovery = await createWith({}, 10);
  primary = await createWith({ nodes: [{ name: 'dr0', role: 'dr', url: recovery.url }] }, 1);
  way = await openWay(primary.url);
  lab = await startTestService({ databaseUrl: way.url });
  // The server learns the address of the node from the primary.
  await lab.data('{ contexts { name } }');
}, 60_000);

afterEach(async () => {
  way.hang(false);
  await vi.waitUntil(async () => (await ask(null, ADA)).status === 200, PATIENT);
});

afterAll(async () => {
  await lab?.close();
  await way?.close();
  await Promise.all([primary, recovery].map((database) => database?.drop()));
});

const TOPPER = 'topper(window: { preset: ALL_AVAILABLE }) { total }';

const ask = (node: string | null, who: Credentials) =>
  lab.graphql<{ context: unknown }>(
    `query ($node: String) { context(name: "lab", destinationNode: $node) {
      counterGroup(guid: "${guidOf(1)}") { ${TOPPER} } } }`,
    { node },
    basic(who),
  );

/** Asks the recovery node, and returns whether that tried to open a connection to the primary. */
async function triesPrimary(): Promise<boolean> {
  const before = way.attempts();
  expect((await ask('dr0', ADA)).errors).toBeUndefined();
  return way.attempts() > before;
}

/** The first request may notice that an open connection is lost, and open none. */
async function untilSilent(): Promise<void> {
  await vi.waitUntil(triesPrimary, PATIENT);
  await vi.waitUntil(async () => !(await triesPrimary()), PATIENT);
}

describe('a primary that hangs', { timeout: 90_000 }, () => {
  it('is waited for at first, and then no longer, until it is back', async () => {
    way.hang(true);
    await untilSilent();
    const before = way.attempts();
    for (let i = 0; i < 10; i += 1) expect((await ask('dr0', ADA)).errors).toBeUndefined();
    const { errors } = await ask(null, ADA);
    expect(errors?.[0]?.message).toBe('Database is not reachable');
    expect(way.attempts()).toBe(before);
    way.hang(false);
    await vi.waitUntil(async () => (await ask(null, ADA)).errors === undefined, PATIENT);
  });

  it('has the last word on users as soon as it is back', async () => {
    await withClient(primary.url, (client) => removeUser(client, EVE.username));
    expect((await ask('dr0', EVE)).status).toBe(401);
    way.hang(true);
    await untilSilent();
    // The recovery node has not heard of it.
    expect((await ask('dr0', EVE)).errors).toBeUndefined();
    way.hang(false);
    await vi.waitUntil(async () => (await ask('dr0', EVE)).status === 401, PATIENT);
  });

  it('is waited for again if it hangs again', async () => {
    way.hang(true);
    await untilSilent();
    way.hang(false);
    await vi.waitUntil(async () => (await ask(null, ADA)).errors === undefined, PATIENT);
    way.hang(true);
    await vi.waitUntil(triesPrimary, PATIENT);
  });
});
