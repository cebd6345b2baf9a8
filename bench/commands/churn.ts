import { writeFile } from 'node:fs/promises';
import { type ChurnReport, renderChurn } from '../churn/churn-report.ts';
import { loadDay } from '../churn/load-day.ts';
import { measureServing } from '../churn/measure-serving.ts';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { databaseBytes } from '../load/database-sizes.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { churnOptions } from '../options/feed-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT } from '../systems/declaration.ts';
import { measureCommand } from '../systems/measured-command.ts';
import { runCommand } from '../systems/product.ts';

const { shape, json } = churnOptions(process.argv.slice(2));
await withCleanup(measureChurn);

/** Measures a day with millions of addresses seen once: import, questions, verify and drop. */
async function measureChurn(cleanup: Cleanup): Promise<void> {
  const postgres = await openOwnPostgres(cleanup);
  const { url, observer } = postgres;
  const { load, totals } = await loadDay(postgres, shape);
  const serving = await measureServing(url, shape, totals);
  showProgress('verifying');
  const verify = await measureCommand(url, ['verify', '--context', CONTEXT]);
  showProgress('dropping the slice');
  const all = ['--before', '2027-01-01T00:00:00Z', '--confirm', CONTEXT];
  await runCommand(url, ['slices', 'drop', '--context', CONTEXT, ...all]);
  const report: ChurnReport = {
    machine: await describeMachine(url, null),
    shape,
    load,
    serving,
    verify,
    droppedBytes: await databaseBytes(observer),
  };
  console.log(renderChurn(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}
