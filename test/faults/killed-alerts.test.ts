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

type Change = 'began' | 'ended';

/** A moment at which a server is killed: causes a change, and returns when it is reached. */
type Moment = (change: Change, cause: () => Promise<void>) => Promise<{ goOn(): Promise<void> }>;

const nothingToRelease = { goOn: async () => undefined };

/** While it evaluates, before it writes to a table. */
const beforeWriting =
  (table: string): Moment =>
  async (_, cause) => {
    const before = await lab.events();
    const locker = await lab.hold(table);
    await cause();
    await lab.waitUntilHeld('alerts');
    return {
      goOn: async () => {
        await locker.end();
        expect(await lab.events()).toEqual(before);
      },
    };
  };

const whenEvaluated: Moment = async (change, cause) => {
  const isDone = ({ ended }: { ended: number | null }) => change === 'began' || ended !== null;
  const before = (await lab.events()).filter(isDone).length;
  await cause();
  await until(async () => (await lab.events()).filter(isDone).length > before);
  return nothingToRelease;
};

const whileNotAnswered: Moment = async (change, cause) => {
  const before = notified(change);
  lab.webhook.behave((response, request) =>
    (request.body.event === change ? hangs : takes)(response, request),
  );
  await cause();
  await until(() => notified(change) > before);
  return { goOn: async () => lab.webhook.behave(takes) };
};

/** Notified, but the delivery is not recorded. */
const beforeRecording: Moment = async (change, cause) => {
  const held: Awaited<ReturnType<typeof lab.hold>>[] = [];
  lab.webhook.behave((response, request) => {
    if (request.body.event !== change) return takes(response, request);
    void lab.hold('alert_deliveries').then((locker) => {
      held.push(locker);
      takes(response, request);
    });
  });
  await cause();
  await until(() => held.length > 0);
  await lab.waitUntilHeld('notifier');
  return {
    goOn: async () => {
      lab.webhook.behave(takes);
      for (const locker of held) await locker.end();
    },
  };
};

const notified = (change: Change): number =>
  lab.toldOnce().filter((key) => key.endsWith(change)).length;

/** Reached by turns when an event begins and when it ends. */
const MOMENTS: readonly Moment[] = [
  beforeWriting('alerts'),
  whileNotAnswered,
  beforeWriting('alert_events'),
  whenEvaluated,
  beforeRecording,
  beforeWriting('alert_deliveries'),
  whileNotAnswered,
  beforeRecording,
];

it('a server that is killed at any moment is followed by one that does the rest', {
  timeout: 120_000,
}, async () => {
  // The key is above the threshold in every other window. The next window completes one.
  const feed = (window: number) => lab.feed(window, { a: window % 2 === 0 ? 11 : 1 });
  await feed(2);
  for (const [i, moment] of MOMENTS.entries()) {
    const server = await serve();
    await until(() => lab.isAllTold(i));
    const reached = await moment(i % 2 === 0 ? 'began' : 'ended', () => feed(i + 3));
    await kill(server);
    await reached.goOn();
  }
  await serve();
  await until(() => lab.isAllTold(MOMENTS.length));
  const starts = [2, 4, 6, 8];
  expect(await lab.events()).toEqual(
    starts.map((began) => ({ key: 'a', began, ended: began + 1, peak: 11 })),
  );
  const ids = await lab.eventIds();
  expect(lab.toldOnce()).toEqual(ids.flatMap((id) => [`${id}:began`, `${id}:ended`]));
  expect(lab.contradictions()).toEqual([]);
  // Two had not been answered.
  expect(lab.webhook.received.length).toBeGreaterThanOrEqual(MOMENTS.length + 2);
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
