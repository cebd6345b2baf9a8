import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countWaiting, holdTables } from '../../support/database/held-tables.ts';
import { openStream } from '../../support/http/event-stream.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { RawConnection } from '../../support/http/raw-connection.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
  });
});

afterAll(() => lab.close());

const TOPPER = `subscription { topper(context: "${CONTEXT}", counterGroup: "${GROUP}",
  window: { preset: ALL_AVAILABLE }) { total } }`;

const metric = async (name: string): Promise<number> =>
  readMetrics((await lab.call('/metrics')).text).value(name) ?? Number.NaN;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}

const untilNoneIsOpen = () =>
  until(async () => (await metric('countergraph_subscriptions_open')) === 0);

/** Returns the number of connections on which the server listens for commits. */
const listeners = async (): Promise<number> => {
  const [row] = await lab.sql<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and application_name = 'countergraph listener'`,
  );
  return row?.count ?? Number.NaN;
};

describe('a reader who goes away', () => {
  it('while the answer is computed ends the statement, and no error is logged', async () => {
    lab.emptyCaches();
    const { databaseUrl } = lab;
    const { release } = await holdTables(databaseUrl, ['open_segment_pages']);
    try {
      const stream = await openStream(lab.url, TOPPER);
      await until(async () => (await countWaiting(databaseUrl)) === 1);
      stream.close();
      await until(async () => (await countWaiting(databaseUrl)) === 0);
    } finally {
      await release();
    }
    await untilNoneIsOpen();
    expect(lab.logText()).not.toContain('"level":50');
  });

  it('by half-closing the connection counts as gone', async () => {
    const body = JSON.stringify({ query: TOPPER });
    const connection = await RawConnection.open(lab.url);
    const headers = {
      ...basic(ADA),
      host: 'a',
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    connection.write(`POST /graphql HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
    await connection.until('event: next');
    expect(await metric('countergraph_subscriptions_open')).toBe(1);
    connection.socket.end();
    await untilNoneIsOpen();
    connection.socket.destroy();
  });

  it('leaves no listening connection if no other reader remains', async () => {
    const stream = await openStream(lab.url, TOPPER);
    await stream.answer();
    await until(async () => (await listeners()) === 1);
    stream.close();
    await until(async () => (await listeners()) === 0);
  });
});
