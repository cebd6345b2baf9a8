import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import {
  cloneDatabase,
  createTestDatabase,
  type TestDatabase,
  withClient,
} from '../support/database/database.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';
import { openStream } from '../support/http/event-stream.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import type { TestService } from '../support/lab/service.ts';

let database: TestDatabase;
let lab: TestService;
/** The database before its newest import. */
let backup: TestDatabase;

const line = (value: number, label: string) => ({
  group: guidOf(1),
  key: 'k',
  ts: T0 + value * 60,
  values: { 0: value },
  label,
});

const asked = async (): Promise<object> => {
  const window = { window_fromts: T0, window_seconds: DAY };
  const rest = await lab.topper({ counter_group: guidOf(1), resolve_keys: true, ...window });
  const { context } = await lab.data<{ context: object }>(`{ context(name: "lab") {
    counterGroup(guid: "${guidOf(1)}") { topper(window: { interval: { from: ${T0}, to: ${T0 + DAY} } }) {
      keys { metric label } } } } }`);
  return { rest: rest.keys, graphql: context };
};

const answer = (metric: number, label: string) => ({
  rest: [expect.objectContaining({ metric, label })],
  graphql: { counterGroup: { topper: { keys: [{ metric, label }] } } },
});

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

const END_CONNECTIONS = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';

/** Replaces the database by the backup, under the same address. */
const restore = () =>
  withClient(inject('adminUrl'), async (client) => {
    await client.query(END_CONNECTIONS, [nameOf(database)]);
    await client.query(`drop database ${nameOf(database)} with (force)`);
    await client.query(`alter database ${nameOf(backup)} rename to ${nameOf(database)}`);
  });

describe.skipIf(isOnCluster)('a server whose database is restored from a backup', () => {
  beforeEach(async () => {
    database = await createTestDatabase();
    lab = await startLab({
      groups: [group(1)],
      lines: [line(1, 'first')],
      databaseUrl: database.url,
    });
    expect(await asked()).toEqual(answer(1, 'first'));
    await withClient(inject('adminUrl'), (client) =>
      client.query(END_CONNECTIONS, [nameOf(database)]),
    );
    backup = await cloneDatabase(database);
    await lab.importSamples([line(10, 'lost')]);
    expect(await asked()).toEqual(answer(11, 'lost'));
    await restore();
  });

  afterEach(async () => {
    await lab?.close();
    await database?.drop();
  });

  it('answers from the restored data, and nothing that was lost', async () => {
    expect(await asked()).toEqual(answer(1, 'first'));
  });

  it('returns no cached answer when the version is the same again', async () => {
    await lab.importSamples([line(100, 'again')]);
    expect(await asked()).toEqual(answer(101, 'again'));
  });

  it('returns no cached answer when the version is higher', async () => {
    await lab.importSamples([line(100, 'again')]);
    await lab.importSamples([line(200, 'more')]);
    expect(await asked()).toEqual(answer(301, 'more'));
  });
});

describe.skipIf(isOnCluster)('a reader of alerts during a restore', () => {
  beforeEach(async () => {
    database = await createTestDatabase();
    lab = await startLab({
      groups: [group(1)],
      lines: [line(1, 'first')],
      databaseUrl: database.url,
    });
    const rule = { name: 'big', group: guidOf(1), when: { key_above: 10 } };
    await lab.apply({ context: 'lab', alerts: [rule] });
  });

  afterEach(async () => {
    await lab?.close();
    await database?.drop();
  });

  it('gets an error if it received what is lost, and new events after it reconnects', async () => {
    const follow = () =>
      openStream(lab.url, 'subscription { alertEvents(context: "lab") { startedAt endedAt } }');
    await withClient(inject('adminUrl'), (client) =>
      client.query(END_CONNECTIONS, [nameOf(database)]),
    );
    backup = await cloneDatabase(database);
    const stream = await follow();
    await lab.importSamples([line(11, 'big'), line(20, 'later')]);
    await lab.decideAlertsNow();
    const told = { startedAt: T0 + 900, endedAt: null };
    expect(await stream.answer()).toEqual({ alertEvents: told });
    await restore();
    await stream.ended;
    expect(stream.messages.slice(-2)).toMatchObject([
      { event: 'next', data: { errors: [{ extensions: { code: 'BACKEND' } }] } },
      { event: 'complete' },
    ]);
    const again = await follow();
    await lab.importSamples([line(16, 'another'), line(30, 'later')]);
    // A pass that finds its connection lost leaves the windows to the next.
    const decided = async () => {
      await lab.decideAlertsNow();
      return (await lab.sql('select from alert_events')).length;
    };
    await expect.poll(decided).toBe(1);
    const { alertEvents } = await again.answer<{ alertEvents: { startedAt: number } }>();
    expect(alertEvents.startedAt).toBe(T0 + 1200);
    again.close();
  });
});
