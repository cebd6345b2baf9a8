import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { OwnPostgres } from '../load/own-postgres.ts';
import { showProgress } from '../reports/progress.ts';
import type { ProcessUsage } from '../systems/process-usage.ts';
import type { Readers, StreamServer } from './forked.ts';
import type { HeldMemory } from './server-process.ts';

/** Figures of a commit. */
export type CommitFigures = {
  /** From COMMIT until half of the streams, and the last one, have their message. */
  readonly medianMs: number;
  readonly lastMs: number;
  readonly computations: number;
  /** Messages beyond one per stream. */
  readonly extra: number;
};

export type RunFigures = {
  readonly commits: readonly CommitFigures[];
  /** Memory after each minute. */
  readonly held: readonly HeldMemory[];
  readonly seconds: number;
  /** Seconds of CPU time. */
  readonly cpu: { readonly server: number; readonly readers: number };
  readonly peakBytes: number;
};

export type RunOptions = {
  readonly postgres: OwnPostgres;
  readonly server: StreamServer;
  readonly readers: Readers;
  readonly commitNext: () => Promise<void>;
  readonly rounds: number;
  /** Seconds from the start of one commit to the start of the next. */
  readonly every: number;
};

const MINUTE_MS = 60_000;

export async function runCommits(options: RunOptions): Promise<RunFigures> {
  const { postgres, server, readers, rounds, every } = options;
  const committed = await listenForCommits(postgres.url);
  const commits: CommitFigures[] = [];
  const held: HeldMemory[] = [];
  const before = await usages(server, readers);
  const started = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    commits.push(await oneCommit(options, committed));
    if (performance.now() - started >= (held.length + 1) * MINUTE_MS) {
      held.push(await server.held());
      const { medianMs = 0, lastMs = 0 } = commits.at(-1) ?? {};
      showProgress(`${commits.length} commits; the last one: ${medianMs} ms, ${lastMs} ms`);
    }
    await delay(started + (round + 1) * every * 1000 - performance.now());
  }
  const seconds = (performance.now() - started) / 1000;
  held.push(await server.held());
  const after = await usages(server, readers);
  await committed.end();
  const cpu = {
    server: after.server.cpuSeconds - before.server.cpuSeconds,
    readers: after.readers.cpuSeconds - before.readers.cpuSeconds,
  };
  return { commits, held, seconds, cpu, peakBytes: after.server.peakBytes };
}

async function oneCommit(
  { server, readers, commitNext }: RunOptions,
  committed: Commits,
): Promise<CommitFigures> {
  const computed = await computations(server);
  let at = 0;
  const { times, extra } = await readers.round(async () => {
    const notice = committed.next();
    await commitNext();
    at = await notice;
  });
  const ascending = times.toSorted((a, b) => a - b);
  return {
    medianMs: (ascending[Math.floor(ascending.length / 2)] ?? Number.NaN) - at,
    lastMs: (ascending.at(-1) ?? Number.NaN) - at,
    computations: (await computations(server)) - computed,
    extra,
  };
}

type Commits = { next(): Promise<number>; end(): Promise<void> };

/** PostgreSQL notifies of a commit when it has happened, before the committer gets its answer. */
async function listenForCommits(url: string): Promise<Commits> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench listener' });
  await client.connect();
  await client.query('listen countergraph_versions');
  const next = () =>
    new Promise<number>((resolve) => client.once('notification', () => resolve(Date.now())));
  return { next, end: () => client.end() };
}

async function computations({ url }: StreamServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^countergraph_subscription_computations_total (\d+)$/m.exec(text)?.[1]);
}

const NOTHING: ProcessUsage = { peakBytes: Number.NaN, cpuSeconds: Number.NaN };

const usages = async (server: StreamServer, readers: Readers) => ({
  server: (await server.usage()) ?? NOTHING,
  readers: (await readers.usage()) ?? NOTHING,
});
