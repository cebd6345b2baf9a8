import { setTimeout as delay } from 'node:timers/promises';
import { withCleanup } from '../cleanup.ts';
import { killedOptions } from '../options/serving-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { textTable } from '../reports/text-table.ts';
import { openServingDatabase } from '../serving/data.ts';
import { startLoad } from '../serving/persistent-load.ts';
import { CASES } from '../serving/requests.ts';
import { serveByProcesses } from '../serving/served-processes.ts';

const CONNECTIONS = 16;

/** Time to let documents compile, at the start and after each kill. */
const SETTLE_MS = 5_000;

/** Interval between checks of whether all processes serve again. */
const CHECK_MS = 20;

/** Kills serving processes under load. Measures what is lost and how long recovery takes. */
await withCleanup(async (cleanup) => {
  const { processes, kills } = killedOptions(process.argv.slice(2));
  const databaseUrl = await openServingDatabase(cleanup);
  const server = await serveByProcesses(databaseUrl, processes, {
    COUNTERGRAPH_RESPONSE_CACHE_MB: '0',
  });
  cleanup.add(() => server.stop());
  const request = CASES.find(({ name }) => name === 'GraphQL topper of 100 keys')?.ways[0]?.request;
  if (!request) throw new Error('there is no such case');
  const load = startLoad(server.url, request, CONNECTIONS);
  const rows: string[][] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    showProgress(`kill ${kill} of ${kills}`);
    await delay(SETTLE_MS);
    while (!(await server.hasSpare())) await delay(CHECK_MS);
    const [pid] = await server.servingPids();
    if (pid === undefined) throw new Error('no process serves');
    const before = { ...load.outcomes };
    const startedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    await untilReplaced(server.url, { processes, died: kill });
    const seconds = (performance.now() - startedAt) / 1000;
    // By then, every request that was in progress has been answered or lost.
    await delay(1_000);
    const { outcomes } = load;
    showProgress(`all served again after ${seconds.toFixed(2)} s`);
    rows.push([
      String(kill),
      seconds.toFixed(2),
      String(outcomes.lost - before.lost),
      String(outcomes.refused - before.refused),
      String(outcomes.failed - before.failed),
      String(outcomes.answered - before.answered),
    ]);
  }
  await load.stop();
  const machine = await describeMachine(databaseUrl, null);
  console.log(`${machine.cpu}, ${machine.cores} cores, ${machine.platform}, ${machine.node}\n`);
  const head = ['s until all serve', 'lost', 'refused', 'failed', 'answered meanwhile'];
  console.log(textTable([`${processes} processes: kill`, ...head], rows));
  console.log(`\nslowest answer: ${load.slowestMs().toFixed(0)} ms`);
});

type Expected = { readonly processes: number; readonly died: number };

async function untilReplaced(url: string, { processes, died }: Expected): Promise<void> {
  for (;;) {
    const text = await fetch(`${url}/metrics`).then(
      (response) => response.text(),
      () => '',
    );
    const isReplaced =
      text.includes(`countergraph_replaced_processes_total{why="died"} ${died}\n`) &&
      text.includes(`countergraph_processes ${processes}\n`);
    if (isReplaced) return;
    await delay(CHECK_MS);
  }
}
