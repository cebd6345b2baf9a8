import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { settings } from '../load/databases.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { type VersionsOptions, versionsOptions } from '../options/version-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { openDuckDb } from '../systems/duckdb.ts';
import { countCertified } from '../versions/certified.ts';
import { type LoadedProduct, loadProduct } from '../versions/load-product.ts';
import { measureVersions } from '../versions/measure-versions.ts';
import { versionCases } from '../versions/version-cases.ts';
import {
  type ReportedProduct,
  renderVersions,
  type VersionsReport,
} from '../versions/versions-report.ts';

const options = versionsOptions(process.argv.slice(2));
await withCleanup(compareVersions);

/** Measures everything that depends on how readings are stored, for one version or for two. */
async function compareVersions(cleanup: Cleanup): Promise<void> {
  const { shape, probes, product, beside, json, quick } = options;
  const postgres = await openOwnPostgres(cleanup, settings());
  const data = { shape, probes };
  const loaded = [await loadProduct(postgres, { ...data, product, name: 'product' }, cleanup)];
  if (beside) {
    loaded.push(await loadProduct(postgres, { ...data, product: beside, name: 'beside' }, cleanup));
  }
  const duckdbBytes = await duckDbBytes(options);
  const cases = await measureVersions(versionCases(shape), loaded, quick);
  const products: ReportedProduct[] = [];
  for (const each of loaded) products.push(await reported(each, options));
  const machine = await describeMachine(postgres.url, null);
  const report: VersionsReport = { machine, shape, probes, products, duckdbBytes, cases };
  console.log(renderVersions(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}

/** The size of DuckDB's file. null if the samples come from probes, which its table has not. */
async function duckDbBytes({ shape, probes }: VersionsOptions): Promise<number | null> {
  if (probes > 0) return null;
  showProgress("writing DuckDB's file");
  const duckdb = await openDuckDb({ shape, names: [], file: true });
  duckdb.close();
  return duckdb.fileBytes;
}

async function reported(
  { name, version, load, service }: LoadedProduct,
  { shape, quick }: VersionsOptions,
): Promise<ReportedProduct> {
  const certified = await countCertified(service, shape, quick ? 10 : 100);
  return { name, version, load, certified, usage: await service.usage() };
}
