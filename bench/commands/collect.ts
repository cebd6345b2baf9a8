import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { openAskedServer } from '../collect/asked-server.ts';
import type { SenderReport, SenderTarget } from '../collect/sender.ts';
import { type OwnPostgres, openOwnPostgres } from '../load/own-postgres.ts';
import { spreadOf } from '../measures/statistics.ts';
import { type CollectOptions, collectOptions } from '../options/collect-options.ts';
import { count, megabytes, milliseconds } from '../reports/figures.ts';
import { describeMachine, renderMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { textTable } from '../reports/text-table.ts';
import { processUsage } from '../systems/process-usage.ts';
import { spawnCommand } from '../systems/product.ts';

const options = collectOptions(process.argv.slice(2));

const HEAD = [
  'flows/s',
  'sent',
  'received',
  'lost',
  'committed',
  'collector: MB at most',
  'CPU s',
  'topper ms: median',
  'most',
];

/** Sends flows to a collector by UDP. Measures what arrives, and what it takes. */
await withCleanup(async (cleanup) => {
  const postgres = await openOwnPostgres(cleanup);
  const rows: string[][] = [];
  for (const rate of options.rates) rows.push(await measureRate(postgres, rate, options, cleanup));
  console.log(renderMachine(await describeMachine(postgres.url, null)));
  console.log(`\n${options.protocol}, for ${options.seconds} s`);
  console.log(textTable(HEAD, rows));
});

async function measureRate(
  { url, observer }: OwnPostgres,
  rate: number,
  { protocol, seconds }: CollectOptions,
  cleanup: Cleanup,
): Promise<string[]> {
  const context = `at${rate}`;
  showProgress(`${count(rate)} flows a second`);
  const collector = spawnCommand(url, [
    'collect',
    '--context',
    context,
    '--listen',
    '127.0.0.1:0',
    '--from',
    '127.0.0.1',
    '--json',
  ]);
  const exited = once(collector, 'close');
  cleanup.add(async () => void collector.kill('SIGTERM'));
  let output = '';
  collector.stdout.on('data', (text) => {
    output += text;
  });
  while (!/udp 127\.0\.0\.1:\d+\n/.test(output)) await delay(50);
  const port = Number(/udp 127\.0\.0\.1:(\d+)\n/.exec(output)?.[1]);
  const asked = await openAskedServer({ url, observer, context }, cleanup);
  const sent = await runSender({ port, protocol, rate, seconds });
  const answers = await asked.stop();
  // What has arrived is read, and what was missing has counted as lost.
  await delay(5_000);
  const usage = await processUsage(collector.pid ?? 0);
  collector.kill('SIGTERM');
  await exited;
  const report = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  const lost = report.lost.flows + report.lost.packets;
  return [
    count(sent.flows / sent.seconds),
    count(sent.flows),
    count(report.flows),
    `${count(lost)} ${protocol === 'netflow9' ? 'datagrams' : 'flows'}`,
    count(report.committedFlows),
    usage === null ? '–' : megabytes(usage.peakBytes),
    usage === null ? '–' : usage.cpuSeconds.toFixed(1),
    milliseconds(spreadOf(answers).median),
    milliseconds(spreadOf(answers).most),
  ];
}

async function runSender(target: SenderTarget): Promise<SenderReport> {
  const file = join(import.meta.dirname, '../collect/sender.js');
  const child = fork(file, [JSON.stringify(target)]);
  const [report] = (await once(child, 'message')) as [SenderReport];
  return report;
}
