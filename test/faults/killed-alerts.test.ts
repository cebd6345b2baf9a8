import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hangs, takes } from '../alerts/webhook-stand-in.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import {
  endAll,
  type ServingProcesses,
  serveByProcesses,
} from '../support/programs/serving-processes.ts';
import { type AlertFaultLab, openAlertFaultLab, until } from './alert-fault-lab.ts';

let program: BuiltProgram;
let database: TestDatabase;
let lab: AlertFaultLab;
const servers: ServingProcesses[] = [];

beforeAll(async () => {
  program = await buildProgram();
  database = await createTestDatabase();
  lab = await openAlertFaultLab(database.url);
}, 120_000);

afterAll(async () => {
  await lab.close();
  await database.drop();
  await program.remove();
});

beforeEach(async () => {
  lab.webhook.behave(takes);
  await lab.begin();
});

afterEach(async () => {
  endAll(servers.map(({ child }) => child));
  await Promise.all(servers.map(({ ended }) => ended));
  servers.length = 0;
});

async function serve(): Promise<ServingProcesses> {
  const server = await serveByProcesses(program, database.url, { processes: 1 });
  servers.push(server);
  return server;
}

async function kill(server: ServingProcesses): Promise<void> {
  server.child.kill('SIGKILL');
  await server.ended;
}

/** Makes the event begin, and then end: the key is above the threshold only in window 2. */
const CHANGES = [
  { change: 'began', cause: () => lab.feed(3, { a: 1 }) },
  { change: 'ended', cause: () => lab.feed(4, { a: 1 }) },
] as const;

/** The event began once and ended once, and the webhook was notified of both, in order. */
async function expectOneEvent(): Promise<void> {
  await until(() => lab.isAllTold(2));
  expect(await lab.events()).toEqual([{ key: 'a', began: 2, ended: 3, peak: 11 }]);
  const id = await lab.eventId();
  expect(lab.toldOnce()).toEqual([`${id}:began`, `${id}:ended`]);
  expect(lab.contradictions()).toEqual([]);
}

describe('a server that is killed', { timeout: 120_000 }, () => {
  it.each(['alerts', 'alert_events', 'alert_deliveries'])(
    'while it evaluates, before it writes to %s, leaves that to the next',
    async (table) => {
      await lab.feed(2, { a: 11 });
      for (const { cause } of CHANGES) {
        const before = await lab.events();
        const server = await serve();
        const locker = await lab.hold(table);
        await cause();
        await lab.waitUntilHeld('alerts');
        await kill(server);
        await locker.end();
        expect(await lab.events()).toEqual(before);
      }
      await serve();
      await expectOneEvent();
    },
  );

  it('as soon as it has evaluated leaves the notification to the next', async () => {
    await lab.feed(2, { a: 11 });
    for (const { change, cause } of CHANGES) {
      const server = await serve();
      await cause();
      await until(async () => {
        const [event] = await lab.events();
        return change === 'began' ? event !== undefined : event?.ended != null;
      });
      await kill(server);
    }
    await serve();
    await expectOneEvent();
  });

  it('while a webhook has not answered is followed by one that notifies it again', async () => {
    await lab.feed(2, { a: 11 });
    for (const { change, cause } of CHANGES) {
      lab.webhook.behave((response, request) =>
        (request.body.event === change ? hangs : takes)(response, request),
      );
      const server = await serve();
      await cause();
      await until(() => lab.toldOnce().some((key) => key.endsWith(change)));
      await kill(server);
    }
    lab.webhook.behave(takes);
    await serve();
    await expectOneEvent();
    expect(lab.webhook.received.length).toBeGreaterThanOrEqual(4);
  });

  it('before it records a delivery is followed by one that notifies again', async () => {
    await lab.feed(2, { a: 11 });
    for (const { change, cause } of CHANGES) {
      const held: Awaited<ReturnType<typeof lab.hold>>[] = [];
      lab.webhook.behave((response, request) => {
        if (request.body.event !== change) return takes(response, request);
        void lab.hold('alert_deliveries').then((locker) => {
          held.push(locker);
          takes(response, request);
        });
      });
      const server = await serve();
      await cause();
      await until(() => held.length > 0);
      await lab.waitUntilHeld('notifier');
      await kill(server);
      lab.webhook.behave(takes);
      for (const locker of held) await locker.end();
    }
    await serve();
    await expectOneEvent();
  });
});

const BEGAN = 'an alert began to fire';

describe('of two servers on one database', { timeout: 120_000 }, () => {
  const decides = async (server: ServingProcesses) =>
    (await server.metrics()).value('countergraph_alerts_deciding', {}) === 1;

  it('one evaluates, and the other continues where the first was killed', async () => {
    const both = [await serve(), await serve()];
    const deciding = async () => {
      const found: ServingProcesses[] = [];
      for (const server of both) {
        if (server.child.exitCode === null && !server.child.killed && (await decides(server)))
          found.push(server);
      }
      return found;
    };
    await until(async () => (await deciding()).length > 0);
    const values = (window: number) => (window % 2 === 0 ? { a: 11, b: 20 } : { a: 1, b: 20 });
    for (const window of [2, 3, 4, 5]) await lab.feed(window, values(window));
    await until(async () => (await lab.events()).length === 3);
    const [first, ...others] = await deciding();
    expect(others).toEqual([]);
    if (!first) throw new Error('none decides');
    await until(() => first.told(BEGAN).length === 3);
    await kill(first);
    for (const window of [6, 7, 8, 9]) await lab.feed(window, values(window));
    await until(() => lab.isAllTold(8));
    expect(await lab.events()).toEqual([
      { key: 'a', began: 2, ended: 3, peak: 11 },
      { key: 'b', began: 2, ended: null, peak: 20 },
      { key: 'a', began: 4, ended: 5, peak: 11 },
      { key: 'a', began: 6, ended: 7, peak: 11 },
      { key: 'a', began: 8, ended: null, peak: 11 },
    ]);
    expect(both.map((server) => server.told(BEGAN).length).toSorted()).toEqual([2, 3]);
    expect(lab.toldOnce()).toHaveLength(8);
    expect(lab.contradictions()).toEqual([]);
  });
});
