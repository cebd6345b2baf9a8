import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { settings } from '../load/databases.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { rankingsOptions } from '../options/data-options.ts';
import { describeMachine, renderMachine } from '../reports/machine.ts';
import { measureTrends } from '../trends/measure-trends.ts';
import { renderTrends } from '../trends/render-trends.ts';
import { loadProduct } from '../versions/load-product.ts';

const options = rankingsOptions('trends', process.argv.slice(2));
await withCleanup(compareTrends);

/** Compares trends with one topper of the same window in one run. */
async function compareTrends(cleanup: Cleanup): Promise<void> {
  const { shape, product, json, quick } = options;
  const postgres = await openOwnPostgres(cleanup, settings());
  const { service } = await loadProduct(
    postgres,
    { name: 'product', product, shape, probes: 1 },
    cleanup,
  );
  const machine = await describeMachine(postgres.url, null);
  const cases = await measureTrends({ shape, service, quick });
  console.log(`${renderMachine(machine)}\n\n${renderTrends(cases)}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, shape, cases }, null, 2)}\n`);
}
