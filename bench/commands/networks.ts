import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { settings } from '../load/databases.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { rankingsOptions } from '../options/data-options.ts';
import { measureRankings, NETWORKS } from '../rankings/measure-rankings.ts';
import { renderRankings } from '../rankings/render-rankings.ts';
import { describeMachine, renderMachine } from '../reports/machine.ts';
import { loadProduct } from '../versions/load-product.ts';

const options = rankingsOptions('networks', process.argv.slice(2));
await withCleanup(compareNetworks);

/** Compares toppers of networks with those of addresses in one run. */
async function compareNetworks(cleanup: Cleanup): Promise<void> {
  const { shape, product, json, quick } = options;
  const postgres = await openOwnPostgres(cleanup, settings());
  const { service } = await loadProduct(
    postgres,
    { name: 'product', product, shape, probes: 1 },
    cleanup,
  );
  const machine = await describeMachine(postgres.url, null);
  const cases = await measureRankings({ shape, service, toppers: NETWORKS, quick });
  console.log(`${renderMachine(machine)}\n\n${renderRankings('window, keys', cases)}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, shape, cases }, null, 2)}\n`);
}
