import { writeFile } from 'node:fs/promises';
import { type ChurnDay, type ChurnReport, renderChurn } from '../churn/churn-report.ts';
import { loadDay } from '../churn/load-day.ts';
import { measureServing } from '../churn/measure-serving.ts';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { databaseBytes } from '../load/database-sizes.ts';
import { type OwnPostgres, openOwnPostgres } from '../load/own-postgres.ts';
import { churnOptions } from '../options/feed-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT } from '../systems/declaration.ts';
import { measureCommand } from '../systems/measured-command.ts';
import { type Product, productVersion, runCommand } from '../systems/product.ts';

const { shape, products, json } = churnOptions(process.argv.slice(2));
await withCleanup(measureChurn);

/** Measures the same day for each product, each with its own PostgreSQL. */
async function measureChurn(cleanup: Cleanup): Promise<void> {
  const days: ChurnDay[] = [];
  let machine = await describeMachine(null, null);
  for (const product of products) {
    const postgres = await openOwnPostgres(cleanup);
    machine = await describeMachine(postgres.url, null);
    days.push(await measureDay(postgres, product));
  }
  const report: ChurnReport = { machine, shape, days };
  console.log(renderChurn(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}

/** Measures a day with millions of addresses seen once: import, questions, verify and drop. */
async function measureDay(postgres: OwnPostgres, product: Product): Promise<ChurnDay> {
  const version = await productVersion(product);
  showProgress(version);
  const { url, observer } = postgres;
  const { load, totals } = await loadDay(postgres, shape, product);
  const serving = await measureServing({ databaseUrl: url, product }, shape, totals);
  showProgress('verifying');
  const verify = await measureCommand(url, ['verify', '--context', CONTEXT], { product });
  showProgress('dropping the slice');
  const all = ['--before', '2027-01-01T00:00:00Z', '--confirm', CONTEXT];
  await runCommand(url, ['slices', 'drop', '--context', CONTEXT, ...all], product);
  return { version, load, serving, verify, droppedBytes: await databaseBytes(observer) };
}
