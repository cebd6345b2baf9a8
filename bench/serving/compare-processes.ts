import { writeFile } from 'node:fs/promises';
import type { Cleanup } from '../cleanup.ts';
import { thinLoad } from '../measures/thin-client.ts';
import type { ServingOptions } from '../options/serving-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { textTable } from '../reports/text-table.ts';
import { openServingDatabase } from './data.ts';
import { postgresCpu } from './postgres-cpu.ts';
import { type BenchRequest, CASES } from './requests.ts';
import { type ServedProcesses, serveByProcesses } from './served-processes.ts';

/** What a server with a number of processes achieves. */
type Figures = {
  readonly answersPerSecond: number;
  readonly cpuMicroseconds: number;
  /** CPU time of PostgreSQL, and of the load. */
  readonly databaseMicroseconds: number;
  readonly loadMicroseconds: number;
  readonly p50: number;
  readonly p99: number;
};

type Result = { readonly name: string; readonly figures: ReadonlyMap<number, Figures> };

type Measured = {
  readonly servers: ReadonlyMap<number, ServedProcesses>;
  readonly databaseCpu: () => Promise<number>;
};

const CONNECTIONS = 16;

/** Length of a warm-up round, in which documents are compiled and spare processes load. */
const WARM_SECONDS = 4;

/** Warm-up answers per process, so that V8 has compiled the code of each of them. */
const WARM_ANSWERS = 4_000;

const WARM_ROUNDS = 5;

/** Whether a response comes from the cache or is rendered for each request. */
const WAYS = [
  { way: 'remembered', variables: {} },
  { way: 'rendered anew', variables: { COUNTERGRAPH_RESPONSE_CACHE_MB: '0' } },
] as const;

const CASE_NAMES = [
  'REST topper of 100 keys',
  'GraphQL topper of 100 keys',
  'GraphQL dashboard of 60 toppers',
];

/**
 * Compares `serve` with different numbers of processes and otherwise default settings, in turn,
 * over one database. The load runs on the same cores.
 */
export async function compareProcesses(
  cleanup: Cleanup,
  numbers: readonly number[],
  options: ServingOptions,
): Promise<void> {
  const databaseUrl = await openServingDatabase(cleanup);
  const databaseCpu = await postgresCpu(databaseUrl);
  const results: Result[] = [];
  for (const { way, variables } of WAYS) {
    const servers = new Map<number, ServedProcesses>();
    for (const number of numbers) {
      const server = await serveByProcesses(databaseUrl, number, variables);
      cleanup.add(() => server.stop());
      servers.set(number, server);
    }
    for (const { name, ways } of CASES.filter(({ name }) => CASE_NAMES.includes(name))) {
      // The first way is a plain request to ours.
      const [first] = ways;
      if (!first) continue;
      showProgress(`measuring: ${name}, ${way}`);
      const figures = await measureInTurns({ servers, databaseCpu }, first.request, options);
      results.push({ name: `${name}, ${way}`, figures });
    }
    for (const server of servers.values()) await server.stop();
  }
  const machine = await describeMachine(databaseUrl, null);
  console.log(`${machine.cpu}, ${machine.cores} cores, ${machine.platform}, ${machine.node}\n`);
  for (const result of results) console.log(`${render(result)}\n`);
  const json = results.map(({ name, figures }) => ({ name, ...Object.fromEntries(figures) }));
  if (options.json)
    await writeFile(options.json, JSON.stringify({ machine, cases: json }, null, 2));
}

async function measureInTurns(
  { servers, databaseCpu }: Measured,
  request: BenchRequest,
  { rounds, seconds }: ServingOptions,
): Promise<Map<number, Figures>> {
  const measured = new Map<number, Figures[]>();
  for (const [number, server] of servers) await warmUp(server, request, number * WARM_ANSWERS);
  for (let round = 0; round < rounds; round += 1) {
    for (const [number, server] of servers) {
      const figures = await measureOnce({ server, databaseCpu }, request, seconds);
      measured.set(number, [...(measured.get(number) ?? []), figures]);
    }
  }
  return new Map([...measured].map(([number, figures]) => [number, medianOf(figures)]));
}

async function warmUp(
  { url }: ServedProcesses,
  request: BenchRequest,
  answers: number,
): Promise<void> {
  const load = { url, request, connections: CONNECTIONS, seconds: WARM_SECONDS };
  let done = 0;
  for (let round = 0; round < WARM_ROUNDS && done < answers; round += 1) {
    done += (await thinLoad(load)).answers;
  }
}

async function measureOnce(
  { server, databaseCpu }: { server: ServedProcesses; databaseCpu: () => Promise<number> },
  request: BenchRequest,
  seconds: number,
): Promise<Figures> {
  const before = await server.cpuMicroseconds();
  const databaseBefore = await databaseCpu();
  const loadBefore = process.cpuUsage();
  const load = await thinLoad({ url: server.url, request, connections: CONNECTIONS, seconds });
  const loadSpent = process.cpuUsage(loadBefore);
  const databaseSpent = (await databaseCpu()) - databaseBefore;
  const spent = (await server.cpuMicroseconds()) - before;
  const { answers, latencies } = load;
  const percentile = (share: number): number =>
    latencies[Math.min(answers - 1, Math.floor(answers * share))] ?? Number.NaN;
  return {
    answersPerSecond: answers / load.seconds,
    cpuMicroseconds: spent / answers,
    databaseMicroseconds: databaseSpent / answers,
    loadMicroseconds: (loadSpent.user + loadSpent.system) / answers,
    p50: percentile(0.5),
    p99: percentile(0.99),
  };
}

function medianOf(rounds: readonly Figures[]): Figures {
  const of = (pick: (figures: Figures) => number): number =>
    rounds.map(pick).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN;
  return {
    answersPerSecond: of((it) => it.answersPerSecond),
    cpuMicroseconds: of((it) => it.cpuMicroseconds),
    databaseMicroseconds: of((it) => it.databaseMicroseconds),
    loadMicroseconds: of((it) => it.loadMicroseconds),
    p50: of((it) => it.p50),
    p99: of((it) => it.p99),
  };
}

function render({ name, figures }: Result): string {
  const [first] = figures.values();
  const rows = [...figures].map(([number, it]) => [
    String(number),
    it.answersPerSecond.toFixed(0),
    (it.answersPerSecond / (first?.answersPerSecond ?? Number.NaN)).toFixed(2),
    it.cpuMicroseconds.toFixed(0),
    (it.cpuMicroseconds / (first?.cpuMicroseconds ?? Number.NaN)).toFixed(2),
    it.databaseMicroseconds.toFixed(0),
    it.loadMicroseconds.toFixed(0),
    it.p50.toFixed(1),
    it.p99.toFixed(1),
  ]);
  const head = [
    'answers/s',
    '÷ first',
    'CPU µs',
    '÷ first',
    'PostgreSQL',
    'load',
    'p50 ms',
    'p99 ms',
  ];
  return textTable([`${name}: processes`, ...head], rows);
}
