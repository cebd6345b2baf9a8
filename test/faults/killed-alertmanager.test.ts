import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hangs, startWebhook, takes, type WebhookStandIn } from '../alerts/webhook-stand-in.ts';
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
let alertmanager: WebhookStandIn;
const servers: ServingProcesses[] = [];

beforeAll(async () => {
  program = await buildProgram();
  database = await createTestDatabase();
  lab = await openAlertFaultLab(database.url);
  alertmanager = await startWebhook();
}, 120_000);

afterEach(async () => {
  endAll(servers.map(({ child }) => child));
  await Promise.all(servers.map(({ ended }) => ended));
});

afterAll(async () => {
  await alertmanager.stop();
  await lab.close();
  await database.drop();
  await program.remove();
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

type Posted = {
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
};

/** Returns the posted alerts in order; all are about the same key. */
const posted = (): Posted[] =>
  alertmanager.received.flatMap(({ text }) => JSON.parse(text) as Posted[]);

const BEGUN_MS = Date.now();

/** The data are older than this run, but the `endsAt` of a firing alert is in the future. */
const isOver = ({ endsAt }: Posted): boolean => Date.parse(endsAt) < BEGUN_MS;

/** Returns the keys of the ended events in a request. */
const endedKeys = (text: string): string[] =>
  (JSON.parse(text) as Posted[]).filter(isOver).map(({ labels }) => labels['key'] ?? '');

describe('a server that is killed', { timeout: 120_000 }, () => {
  it('while an Alertmanager has not answered is followed by one that notifies it again', async () => {
    await lab.begin();
    await lab.apply({ notify: [{ name: 'am', kind: 'alertmanager', url: alertmanager.url }] });
    await lab.feed(2, { a: 11 });

    alertmanager.behave(hangs);
    const first = await serve();
    await lab.feed(3, { a: 1 });
    await until(() => posted().some((alert) => !isOver(alert)));
    await kill(first);

    alertmanager.behave((response, request) => {
      const isEnd = (JSON.parse(request.text) as Posted[]).some(isOver);
      return (isEnd ? hangs : takes)(response, request);
    });
    const second = await serve();
    await lab.feed(4, { a: 1 });
    await until(() => posted().some(isOver));
    await kill(second);

    alertmanager.behave(takes);
    const before = posted().length;
    await serve();
    await until(() => posted().slice(before).some(isOver));

    expect(await lab.events()).toEqual([{ key: 'a', began: 2, ended: 3, peak: 11 }]);
    const [{ startedAt, endedAt } = { startedAt: 0, endedAt: 0 }] = await lab.sql<{
      startedAt: number;
      endedAt: number;
    }>(`select started_at::float8 as "startedAt", ended_at::float8 as "endedAt" from alert_events`);
    expect(new Set(posted().map(({ startsAt }) => Date.parse(startsAt) / 1000))).toEqual(
      new Set([startedAt]),
    );
    const ends = posted().filter(isOver);
    expect(new Set(ends.map(({ endsAt }) => Date.parse(endsAt) / 1000))).toEqual(
      new Set([endedAt]),
    );
    // The beginning was sent before the end, and never after it.
    expect(posted().findIndex(isOver)).toBeGreaterThan(0);
    expect(posted().slice(posted().findIndex(isOver)).every(isOver)).toBe(true);
  });

  it('between two requests to an Alertmanager is followed by one that sends only the rest', async () => {
    const keys = Array.from({ length: 60 }, (_, i) => `k${i}`);
    const of = (value: number) => Object.fromEntries(keys.map((key) => [key, value]));
    // One request has room for some twenty alerts of this length.
    await lab.begin({ description: 'x'.repeat(10_000) });
    await lab.apply({ notify: [{ name: 'am', kind: 'alertmanager', url: alertmanager.url }] });
    await lab.sql("delete from alert_sinks where kind = 'webhook'");
    alertmanager.behave(takes);
    const first = await serve();
    await lab.feed(2, of(11));
    await lab.feed(3, of(11));
    await until(() => lab.isAllTold(keys.length));

    alertmanager.received.length = 0;
    const ends = () => alertmanager.received.filter(({ text }) => endedKeys(text).length > 0);
    alertmanager.behave((response, request) =>
      (ends().length > 1 ? hangs : takes)(response, request),
    );
    await lab.feed(4, of(1));
    await lab.feed(5, of(1));
    await until(() => ends().length > 1);
    await kill(first);

    alertmanager.behave(takes);
    await serve();
    await until(() => lab.isAllTold(2 * keys.length));
    const [accepted = [], refused = [], ...later] = ends().map(({ text }) => endedKeys(text));
    expect([...accepted, ...later.flat()].toSorted()).toEqual(keys.toSorted());
    expect(later.flat()).toEqual(expect.arrayContaining(refused));
  });
});
