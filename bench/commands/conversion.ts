import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { answersOf, compareAnswers } from '../conversion/answers-of.ts';
import { type ConversionReport, renderConversion } from '../conversion/conversion-report.ts';
import { databaseBytes, liveSegments, walBytes, watchBytes } from '../load/database-sizes.ts';
import { loadService } from '../load/load-service.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { conversionOptions } from '../options/version-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { measureCommand } from '../systems/measured-command.ts';
import { productVersion, THIS_PRODUCT } from '../systems/product.ts';

const { shape, from, json } = conversionOptions(process.argv.slice(2));
await withCleanup(measureConversion);

/** Converts a database of the last 1.7 with `migrate`: the answers must stay the same. */
async function measureConversion(cleanup: Cleanup): Promise<void> {
  const { url, folder, observer } = await openOwnPostgres(cleanup);
  const version = await productVersion(from);
  showProgress(`making the database with ${version}`);
  const load = await loadService({ databaseUrl: url, shape, folder, product: from });
  const before = await answersOf(url, shape, from);
  const fullBytes = await databaseBytes(observer);
  const walBefore = await walBytes(observer);
  showProgress('converting');
  const { result: migrate, mostBytes } = await watchBytes(
    observer,
    measureCommand(url, ['migrate']),
  );
  const wal = (await walBytes(observer)) - walBefore;
  compareAnswers(before, await answersOf(url, shape, THIS_PRODUCT));
  const report: ConversionReport = {
    machine: await describeMachine(url, null),
    shape,
    version,
    load,
    migrate,
    walBytes: wal,
    stored: await liveSegments(observer),
    databaseBytes: { before: fullBytes, most: mostBytes, after: await databaseBytes(observer) },
  };
  console.log(renderConversion(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}
