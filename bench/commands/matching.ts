import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { settings } from '../load/databases.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { rankingsOptions } from '../options/data-options.ts';
import { MATCHING, measureRankings } from '../rankings/measure-rankings.ts';
import { renderRankings } from '../rankings/render-rankings.ts';
import { describeMachine, renderMachine } from '../reports/machine.ts';
import { loadProduct } from '../versions/load-product.ts';

const options = rankingsOptions('matching', process.argv.slice(2));
await withCleanup(compareMatching);

/** Compares a filtered topper alone with the same and all that passes the filter, in one run. */
async function compareMatching(cleanup: Cleanup): Promise<void> {
  const { shape, product, json, quick } = options;
  const postgres = await openOwnPostgres(cleanup, settings());
  const { service } = await loadProduct(
    postgres,
    { name: 'product', product, shape, probes: 1 },
    cleanup,
  );
  const machine = await describeMachine(postgres.url, null);
  const cases = await measureRankings({ shape, service, toppers: MATCHING, quick });
  console.log(`${renderMachine(machine)}\n\n${renderRankings('window, with', cases)}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, shape, cases }, null, 2)}\n`);
}
