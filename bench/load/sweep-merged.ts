import { showProgress } from '../reports/progress.ts';
import { type Product, silentLog } from '../systems/product.ts';
import { keepMergedModule, visitModule } from '../systems/product-merging.ts';

/** More than the five minutes for which what was merged stays. */
const LATER_MS = 600_000;

/** Removes now what the server's background would remove some minutes after a merge. */
export async function sweepMerged(databaseUrl: string, product: Product): Promise<void> {
  showProgress('sweeping');
  const { keepMerged } = await keepMergedModule(product);
  const { visitHere } = await visitModule(product);
  const merger = keepMerged({
    databaseUrl,
    log: await silentLog(product),
    clock: () => Date.now() + LATER_MS,
    delays: null,
    visit: visitHere,
  });
  await merger.runOnce();
  await merger.stop();
}
