import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { loadService, type ServiceLoad } from '../load/load-service.ts';
import { showProgress } from '../reports/progress.ts';
import { runCommand, THIS_PRODUCT } from '../systems/product.ts';
import { type Service, startService } from '../systems/service.ts';
import type { TrafficShape } from '../traffic/traffic.ts';
import type { ProductName } from '../versions/load-product.ts';
import { makeClustered, makeSingle, openCluster } from './cluster-databases.ts';

export type PlacesToLoad = {
  /** URL of a database on the coordinator. */
  readonly citus: string;
  readonly shape: TrafficShape;
  /** How often the samples are imported into each of the two. */
  readonly rounds: number;
};

/** product: the cluster; beside: one server. */
export type LoadedPlace = {
  readonly name: ProductName;
  readonly version: string;
  readonly service: Service;
};

export type Places = {
  readonly workers: number;
  readonly loaded: readonly LoadedPlace[];
  readonly imports: Readonly<Record<ProductName, readonly ServiceLoad['import'][]>>;
};

const DATABASE = 'countergraph_bench';

/** Imports into both in turn, each time into an empty database. Then starts a server on each. */
export async function loadPlaces(
  { citus, shape, rounds }: PlacesToLoad,
  cleanup: Cleanup,
): Promise<Places> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const cluster = await openCluster(citus);
  const imports = { product: [] as ServiceLoad['import'][], beside: [] as ServiceLoad['import'][] };
  const urls = { product: '', beside: '' };
  for (let round = 0; round < rounds; round += 1) {
    showProgress(`one server, round ${round + 1}`);
    urls.beside = await makeSingle(cluster, `${DATABASE}_single`, cleanup);
    imports.beside.push(await load(urls.beside));
    showProgress(`the cluster, round ${round + 1}`);
    urls.product = await makeClustered(cluster, `${DATABASE}_cluster`, cleanup);
    await runCommand(urls.product, ['distribute'], THIS_PRODUCT);
    imports.product.push(await load(urls.product));
  }
  const loaded: LoadedPlace[] = [];
  for (const name of ['product', 'beside'] as const) {
    const service = await startService(urls[name]);
    cleanup.add(() => service.close());
    loaded.push({ name, version: name === 'product' ? 'the cluster' : 'one server', service });
  }
  return { workers: cluster.workers.length, loaded, imports };

  async function load(databaseUrl: string): Promise<ServiceLoad['import']> {
    return (await loadService({ databaseUrl, shape, folder })).import;
  }
}
