import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { type FlowsReport, renderFlows } from '../flows/flows-report.ts';
import { type LoadedFlows, loadFlows } from '../flows/load-flows.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { flowsOptions } from '../options/version-options.ts';
import { describeMachine } from '../reports/machine.ts';

const { flows: files, format, products, json } = flowsOptions(process.argv.slice(2));
await withCleanup(measureFlows);

/** Measures how many bytes real flows take, in each group and in all. */
async function measureFlows(cleanup: Cleanup): Promise<void> {
  const postgres = await openOwnPostgres(cleanup);
  const loads: LoadedFlows[] = [];
  for (const [i, product] of products.entries()) {
    loads.push(await loadFlows(postgres, { name: `flows${i}`, product, files, format }));
  }
  const report: FlowsReport = { machine: await describeMachine(postgres.url, null), files, loads };
  console.log(renderFlows(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}
