import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { settings } from '../load/databases.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { probesOptions } from '../options/data-options.ts';
import { loadProduct } from '../probes/load-product.ts';
import { measureProbes } from '../probes/measure-probes.ts';
import { type ProbesReport, renderProbes } from '../probes/probes-report.ts';
import { describeMachine } from '../reports/machine.ts';

const options = probesOptions(process.argv.slice(2));
await withCleanup(compareProbes);

/** Measures toppers over many probes together, for one version or for two alternately. */
async function compareProbes(cleanup: Cleanup): Promise<void> {
  const { shape, probes, product, beside, json, quick } = options;
  const postgres = await openOwnPostgres(cleanup, settings());
  const data = { shape, probes };
  const loaded = [await loadProduct(postgres, { ...data, product, name: 'product' }, cleanup)];
  if (beside) {
    loaded.push(await loadProduct(postgres, { ...data, product: beside, name: 'beside' }, cleanup));
  }
  const report: ProbesReport = {
    machine: await describeMachine(postgres.url, null),
    shape,
    probes,
    products: loaded.map(({ name, version, load }) => ({ name, version, load })),
    cases: await measureProbes(shape, loaded, quick),
  };
  console.log(renderProbes(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}
