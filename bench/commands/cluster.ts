import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { type ClusterReport, renderCluster } from '../cluster/cluster-report.ts';
import { loadPlaces } from '../cluster/load-places.ts';
import { clusterOptions } from '../options/data-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { measureVersions } from '../versions/measure-versions.ts';
import { plainCases } from '../versions/version-cases.ts';

const options = clusterOptions(process.argv.slice(2));
await withCleanup(compareCluster);

/** Compares the same data and questions on a cluster and on its coordinator alone. */
async function compareCluster(cleanup: Cleanup): Promise<void> {
  const { shape, citus, rounds, json, quick } = options;
  const places = await loadPlaces({ citus, shape, rounds }, cleanup);
  const report: ClusterReport = {
    machine: await describeMachine(citus, null),
    shape,
    workers: places.workers,
    imports: places.imports,
    cases: await measureVersions(plainCases(shape), places.loaded, quick),
  };
  console.log(renderCluster(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}
