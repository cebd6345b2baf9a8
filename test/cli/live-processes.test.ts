import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OpenStream, openStream } from '../support/http/event-stream.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { type ServingProcesses, serveByProcesses } from '../support/programs/serving-processes.ts';

const GROUP = guidOf(1);

const TOPPER = `subscription { topper(context: "${CONTEXT}", counterGroup: "${GROUP}",
  window: { preset: ALL_AVAILABLE }) { total } }`;

let program: BuiltProgram;
let lab: TestService;
let serving: ServingProcesses;
let streams: OpenStream[] = [];
let commits = 0;

beforeAll(async () => {
  program = await buildProgram();
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
  });
  serving = await serveByProcesses(program, lab.databaseUrl);
}, 120_000);

afterEach(() => {
  for (const stream of streams) stream.close();
  streams = [];
});

afterAll(async () => {
  serving?.child.kill('SIGKILL');
  await lab?.close();
  await program?.remove();
});

/** The number of processes with streams: each has one connection that listens for commits. */
async function countListeners(): Promise<number> {
  const [row] = await lab.sql<{ count: number }>(
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and application_name = 'countergraph listener'`,
  );
  return row?.count ?? 0;
}

async function openOne(): Promise<void> {
  const stream = await openStream(serving.url, TOPPER);
  streams.push(stream);
  await stream.answer();
}

/** Opens streams until each process has one; a process that is busy leaves some to the other. */
async function openInBoth(): Promise<void> {
  while ((await countListeners()) > 0);
  while ((await countListeners()) < 2) await Promise.all(Array.from({ length: 4 }, openOne));
}

/** What each stream answers after one more commit; null: it has ended. */
async function commitAndListen(): Promise<(number | null)[]> {
  commits += 1;
  const line = { group: GROUP, key: 'k', ts: T0 + 60 * commits, values: { 0: 1 } };
  await lab.importSamples([line]);
  return Promise.all(
    streams.map((stream) =>
      stream.answer<{ topper: { total: number } }>().then(
        ({ topper }) => topper.total,
        () => null,
      ),
    ),
  );
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

describe('the streams of serve --processes 2', { timeout: 60_000 }, () => {
  it('get an answer after a commit in both processes', async () => {
    await openInBoth();
    expect(distinct(await commitAndListen())).toEqual([1 + commits]);
    const open = (await serving.metrics()).value('countergraph_subscriptions_open');
    expect(open).toBe(streams.length);
  });

  it('end with their own process, and with no other', async () => {
    await openInBoth();
    const [killed = 0] = serving.pids().values();
    process.kill(killed, 'SIGKILL');
    const told = await commitAndListen();
    expect(distinct(told).toSorted()).toEqual([1 + commits, null]);
    // A client that connects again reaches a process that answers.
    streams = streams.filter((_, i) => told[i] !== null);
    await openOne();
    expect(distinct(await commitAndListen())).toEqual([1 + commits]);
  });

  it('are completed when serve is told to end', async () => {
    await openInBoth();
    serving.child.kill('SIGTERM');
    await Promise.all(streams.map(({ ended }) => ended));
    expect(distinct(streams.map(({ messages }) => messages.at(-1)?.event))).toEqual(['complete']);
    expect(await serving.ended).toEqual([0, null]);
  });
});
