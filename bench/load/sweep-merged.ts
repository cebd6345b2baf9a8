import { showProgress } from '../reports/progress.ts';
import { type Product, silentLog } from '../systems/product.ts';
import { mergeModule, mergeSchedulerModule } from '../systems/product-merging.ts';

/** Longer than the five minutes for which merged segments are kept. */
const LATER_MS = 600_000;

/** Removes now what the server would remove in the background some minutes after a merge. */
export async function sweepMerged(databaseUrl: string, product: Product): Promise<void> {
  showProgress('sweeping');
  const { mergeScheduler } = await mergeSchedulerModule(product);
  const { mergeHere } = await mergeModule(product);
  const merger = mergeScheduler({
    databaseUrl,
    log: await silentLog(product),
    clock: () => Date.now() + LATER_MS,
    delays: null,
    mergeContext: mergeHere,
  });
  await merger.runOnce();
  await merger.stop();
}
