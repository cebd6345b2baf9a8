import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from './cleanup.ts';
import { settings } from './load/databases.ts';
import { openOwnPostgres } from './load/own-postgres.ts';
import { rankingsOptions } from './options.ts';
import { loadProduct } from './probes/load-product.ts';
import { measureRankings, type RankingsCase } from './rankings/measure-rankings.ts';
import { milliseconds } from './reports/figures.ts';
import { describeMachine, renderMachine } from './reports/machine.ts';
import { textTable } from './reports/text-table.ts';

const options = rankingsOptions(process.argv.slice(2));
await withCleanup(compareRankings);

/** Toppers by each ranking beside the ordinary one, in one run. */
async function compareRankings(cleanup: Cleanup): Promise<void> {
  const { shape, product, json, quick } = options;
  const postgres = await openOwnPostgres(cleanup, settings());
  const { service } = await loadProduct(
    postgres,
    { name: 'product', product, shape, probes: 1 },
    cleanup,
  );
  const machine = await describeMachine(postgres.url, null);
  const cases = await measureRankings(shape, service, quick);
  console.log(`${renderMachine(machine)}\n\n${render(cases)}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, shape, cases }, null, 2)}\n`);
}

/** Medians, and how many times as long as the ordinary topper each takes. */
const render = (cases: readonly RankingsCase[]): string =>
  textTable(
    ['window, ranking', 'warm', 'x metric', 'cold', 'x metric'],
    cases.flatMap(({ window, medians }) => {
      const [metric] = medians;
      return medians.map(({ name, warmMs, coldMs }) => [
        `${window}: ${name}`,
        milliseconds(warmMs),
        (warmMs / (metric?.warmMs ?? Number.NaN)).toFixed(1),
        milliseconds(coldMs),
        (coldMs / (metric?.coldMs ?? Number.NaN)).toFixed(1),
      ]);
    }),
  );
