import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BreakableServer } from '../support/database/breakable-server.ts';
import { countWaiting } from '../support/database/held-tables.ts';
import { type OpenStream, openStream } from '../support/http/event-stream.ts';
import { T0 } from '../support/lab/lab.ts';
import { CONTEXT, startTestService, type TestService } from '../support/lab/service.ts';
import { GROUP, LINES, startFaultLab } from './fault-lab.ts';

let lab: TestService;
let server: BreakableServer;
const open: OpenStream[] = [];

beforeAll(async () => {
  ({ lab, server } = await startFaultLab());
}, 120_000);

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

afterAll(async () => {
  await lab.close();
  await server.remove();
});

const TOPPER = `subscription { topper(context: "${CONTEXT}", counterGroup: "${GROUP.guid}",
  window: { preset: ALL_AVAILABLE }, maxItems: 1) { total keys { label } } }`;

type Topper = { readonly topper: { readonly total: number } };

let total = LINES.reduce((sum, { values }) => sum + Number(values['0']), 0);

async function count(): Promise<void> {
  total += 1;
  await lab.importSamples([{ group: GROUP.guid, key: 'one', ts: T0, values: { 0: 1 } }]);
}

async function follow(url = lab.url): Promise<OpenStream> {
  const stream = await openStream(url, TOPPER);
  open.push(stream);
  expect((await stream.answer<Topper>()).topper.total).toBe(total);
  return stream;
}

/** Returns what a stream received after its first answer: the total, or the codes of errors. */
const toldBy = (stream: OpenStream): unknown[] =>
  stream.messages.slice(1).map(({ data }) => {
    const codes = data.errors?.map((error) => 'extensions' in error && error.extensions);
    return codes ?? (data.data as Topper).topper.total;
  });

async function untilTold(stream: OpenStream): Promise<void> {
  while (toldBy(stream).at(-1) !== total) await stream.next();
}

/** The stream received only totals, and the error that PostgreSQL is unreachable. */
function expectOnlyUnreachable(stream: OpenStream): void {
  const errors = toldBy(stream).filter((told) => typeof told !== 'number');
  expect(errors).toEqual(errors.map(() => [{ code: 'BACKEND' }]));
}

describe('an open stream', { timeout: 60_000 }, () => {
  it.each([
    ['stopped', () => server.stop()],
    ['killed', () => server.kill()],
  ])('survives a PostgreSQL that is %s, and receives answers afterwards', async (_, goAway) => {
    const stream = await follow();
    await goAway();
    await server.start();
    await count();
    await untilTold(stream);
    expectOnlyUnreachable(stream);
  });

  it('shares one warning of an outage with streams of other questions', async () => {
    const warnings = () => lab.logText().match(/"level":40,.*its subscriptions wait/g)?.length ?? 0;
    const before = warnings();
    const streams = await Promise.all(
      [2, 3, 4, 5].map((maxItems) =>
        openStream(lab.url, TOPPER.replace('maxItems: 1', `maxItems: ${maxItems}`)),
      ),
    );
    open.push(...streams);
    for (const stream of streams) await stream.answer();
    lab.emptyCaches();
    const locker = new pg.Client({ connectionString: server.url });
    locker.on('error', () => undefined);
    await locker.connect();
    await locker.query('begin; lock table key_texts in access exclusive mode');
    await count();
    while ((await countWaiting(lab.databaseUrl)) < streams.length) await delay(10);
    await server.kill();
    // Each has lost its answer, and is refused a connection when it asks again.
    for (const stream of streams) for (let i = 0; i < 2; i += 1) await stream.next();
    await server.start();
    await Promise.all(streams.map((stream) => untilTold(stream)));
    expect(warnings() - before).toBe(1);
    expect(lab.logText()).not.toContain('a subscription could not be answered');
  });

  it('whose answer is being computed receives BACKEND, and the answer after the restart', async () => {
    const stream = await follow();
    lab.emptyCaches();
    const locker = new pg.Client({ connectionString: server.url });
    // The server ends this connection, too.
    locker.on('error', () => undefined);
    await locker.connect();
    await locker.query('begin; lock table key_texts in access exclusive mode');
    await count();
    while ((await countWaiting(lab.databaseUrl)) === 0) await delay(10);
    await server.kill();
    expect((await stream.next()).data.errors).toMatchObject([
      { message: 'Database is not reachable', extensions: { code: 'BACKEND' } },
    ]);
    await server.start();
    await untilTold(stream);
    expectOnlyUnreachable(stream);
  });

  it('receives answers to commits while every listening connection is cut', async () => {
    const stream = await follow();
    let isOver = false;
    const cutting = (async () => {
      while (!isOver) {
        await lab.sql(`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'countergraph listener' and datname = current_database()`);
      }
    })();
    try {
      for (let commit = 0; commit < 3; commit += 1) {
        await count();
        await untilTold(stream);
      }
    } finally {
      isOver = true;
      await cutting;
    }
    expect(toldBy(stream)).toEqual([total - 2, total - 1, total]);
    const lost = lab.logText().match(/the connection that listens for commits was lost/g) ?? [];
    expect(lost.length).toBeGreaterThan(0);
  });
});

describe('a server that shuts down', () => {
  it('completes its streams, and logs no error', async () => {
    const service = await startTestService({ databaseUrl: server.url });
    const stream = await follow(service.url);
    await service.close();
    await stream.ended;
    expect(stream.messages.at(-1)).toEqual({ event: 'complete', data: {} });
    expect(stream.messages).toHaveLength(2);
    expect(service.logText()).not.toContain('"level":50');
  });
});
