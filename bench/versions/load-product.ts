import type { Cleanup } from '../cleanup.ts';
import { besideDatabase, makeDatabase } from '../load/databases.ts';
import { loadService, type ServiceLoad } from '../load/load-service.ts';
import type { OwnPostgres } from '../load/own-postgres.ts';
import { showProgress } from '../reports/progress.ts';
import { type Product, productVersion } from '../systems/product.ts';
import { type Service, startService } from '../systems/service.ts';
import type { TrafficShape } from '../traffic/traffic.ts';

/** The product that is measured, or the one it is compared with. */
export type ProductName = 'product' | 'beside';

export type ProductToLoad = {
  readonly name: ProductName;
  readonly product: Product;
  readonly shape: TrafficShape;
  readonly probes: number;
};

export type LoadedProduct = {
  readonly name: ProductName;
  readonly version: string;
  readonly load: ServiceLoad;
  readonly service: Service;
};

/** Loads the samples into a new database with a product's own commands, and starts its server. */
export async function loadProduct(
  { url, folder }: OwnPostgres,
  { name, product, shape, probes }: ProductToLoad,
  cleanup: Cleanup,
): Promise<LoadedProduct> {
  const version = await productVersion(product);
  showProgress(`loading ${version}`);
  await makeDatabase(url, name);
  const databaseUrl = besideDatabase(url, name);
  const load = await loadService({ databaseUrl, shape, folder, product, probes });
  const service = await startService(databaseUrl, product);
  cleanup.add(() => service.close());
  return { name, version, load, service };
}
