import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { settings } from '../load/databases.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { rankingsOptions } from '../options/data-options.ts';
import { measureRankings, RANKINGS } from '../rankings/measure-rankings.ts';
import { renderRankings } from '../rankings/render-rankings.ts';
import { describeMachine, renderMachine } from '../reports/machine.ts';
import { loadProduct } from '../versions/load-product.ts';

const options = rankingsOptions('rankings', process.argv.slice(2));
await withCleanup(compareRankings);

/** Compares toppers by each ranking with the ordinary one in one run. */
async function compareRankings(cleanup: Cleanup): Promise<void> {
  const { shape, product, json, quick } = options;
  const postgres = await openOwnPostgres(cleanup, settings());
  const { service } = await loadProduct(
    postgres,
    { name: 'product', product, shape, probes: 1 },
    cleanup,
  );
  const machine = await describeMachine(postgres.url, null);
  const cases = await measureRankings({ shape, service, toppers: RANKINGS, quick });
  console.log(`${renderMachine(machine)}\n\n${renderRankings('window, ranking', cases)}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, shape, cases }, null, 2)}\n`);
}
