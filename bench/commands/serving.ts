import { strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { servingOptions } from '../options/serving-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { textTable } from '../reports/text-table.ts';
import { compareProcesses } from '../serving/compare-processes.ts';
import { openServingDatabase } from '../serving/data.ts';
import { type ForkedServer, forkServer } from '../serving/forked-server.ts';
import { measureWay, type WayFigures } from '../serving/measure-way.ts';
import { type BenchRequest, besideCase, CASES, type ServingCase } from '../serving/requests.ts';
import type { ServerName } from '../serving/servers.ts';
import { THIS_PRODUCT } from '../systems/product.ts';

type CaseFigures = { readonly name: string; readonly ways: ReadonlyMap<string, WayFigures> };

const options = servingOptions(process.argv.slice(2));
const { processes } = options;
await withCleanup((cleanup) =>
  processes ? compareProcesses(cleanup, processes, options) : compareServers(cleanup),
);

/** Starts all servers over one database, compares their answers, then measures them in turn. */
async function compareServers(cleanup: Cleanup): Promise<void> {
  const databaseUrl = await openServingDatabase(cleanup);
  const servers = new Map<ServerName, ForkedServer>();
  const { beside } = options;
  const cases = beside === null ? CASES : CASES.map(besideCase);
  const used = new Set(cases.flatMap(({ ways }) => ways.map(({ server }) => server)));
  for (const name of used) {
    const server = await forkServer(name, databaseUrl, beside ?? THIS_PRODUCT);
    cleanup.add(() => server.stop());
    servers.set(name, server);
  }
  const serverOf = (name: ServerName): ForkedServer => {
    const server = servers.get(name);
    if (!server) throw new Error(`${name} was not started`);
    return server;
  };
  const results: CaseFigures[] = [];
  for (const each of cases.filter(({ name }) => name.includes(options.only))) {
    showProgress(`comparing the answers: ${each.name}`);
    await compareAnswers(each, serverOf);
    showProgress(`measuring: ${each.name}`);
    results.push({ name: each.name, ways: await measureCase(each, serverOf) });
  }
  const machine = await describeMachine(databaseUrl, null);
  console.log(`${machine.cpu}, ${machine.cores} cores, ${machine.platform}, ${machine.node}\n`);
  for (const result of results) console.log(`${render(result)}\n`);
  const json = results.map(({ name, ways }) => ({ name, ways: Object.fromEntries(ways) }));
  if (options.json)
    await writeFile(options.json, JSON.stringify({ machine, cases: json }, null, 2));
}

type ServerOf = (name: ServerName) => ForkedServer;

/** Errors: a server's bytes differ from the first server's, apart from a last newline (Apollo). */
async function compareAnswers({ name, ways }: ServingCase, serverOf: ServerOf): Promise<void> {
  const answers: string[] = [];
  for (const { server, request } of ways) {
    // Repeat until everything that compiles at run time has been compiled.
    for (let again = 0; again < 10; again += 1) await ask(serverOf(server), request);
    answers.push((await ask(serverOf(server), request)).trimEnd());
  }
  for (const [i, answer] of answers.entries()) {
    strictEqual(answer, answers[0], `${name}: ${ways[i]?.way} answers something else`);
  }
}

async function ask(
  { url }: ForkedServer,
  { path, method, headers, body }: BenchRequest,
): Promise<string> {
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  return text;
}

/** Measures in turn, so that other load on the machine affects all alike. Returns medians. */
async function measureCase(
  { ways }: ServingCase,
  serverOf: ServerOf,
): Promise<Map<string, WayFigures>> {
  const rounds = new Map<string, WayFigures[]>(ways.map(({ way }) => [way, []]));
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const { way, server, request } of ways) {
      // The first round only warms up the compilers.
      const seconds = round === 0 ? 2 : options.seconds;
      const figures = await measureWay(serverOf(server), request, seconds);
      if (round > 0) rounds.get(way)?.push(figures);
    }
  }
  return new Map([...rounds].map(([way, figures]) => [way, medianOf(figures)]));
}

function medianOf(rounds: readonly WayFigures[]): WayFigures {
  const of = (pick: (figures: WayFigures) => number): number =>
    rounds.map(pick).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN;
  return {
    cpuMicroseconds: of((it) => it.cpuMicroseconds),
    requestsPerSecond: of((it) => it.requestsPerSecond),
    p50: of((it) => it.p50),
    p99: of((it) => it.p99),
  };
}

function render({ name, ways }: CaseFigures): string {
  const first = [...ways.values()][0]?.cpuMicroseconds ?? Number.NaN;
  const rows = [...ways].map(([way, { cpuMicroseconds, requestsPerSecond, p50, p99 }]) => [
    way,
    cpuMicroseconds.toFixed(0),
    (first / cpuMicroseconds).toFixed(2),
    requestsPerSecond.toFixed(0),
    p50.toFixed(1),
    p99.toFixed(1),
  ]);
  return textTable([name, 'CPU µs', 'first ÷ this', 'requests/s', 'p50 ms', 'p99 ms'], rows);
}
