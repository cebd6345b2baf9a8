import { openCommitter } from '../feed/open-committer.ts';
import { THIS_PRODUCT } from '../systems/product.ts';
import { createFlowTraffic } from '../traffic/flow-traffic.ts';
import { BUCKET_SECONDS, START } from '../traffic/traffic.ts';

/** The same flows as in `feed`. */
const TRAFFIC = { flowsPerMinute: 1900, keys: 200_000, seed: 1 };

/**
 * Returns a function that commits the next minute of flows. The last minute ends now, so that the
 * data are current for the server and it merges them as usual.
 */
export async function openMinutes(
  databaseUrl: string,
  { minutes }: { readonly minutes: number },
): Promise<() => Promise<void>> {
  const now = Math.floor(Date.now() / 1000 / BUCKET_SECONDS) * BUCKET_SECONDS;
  const start = now - minutes * BUCKET_SECONDS;
  const commit = await openCommitter({
    product: THIS_PRODUCT,
    databaseUrl,
    nowMs: Date.now,
    start,
  });
  const flowsOf = createFlowTraffic(TRAFFIC);
  const shiftUs = (start - START) * 1e6;
  let minute = 0;
  return async () => {
    const flows = flowsOf(minute).map((flow) => ({ ...flow, startUs: flow.startUs + shiftUs }));
    await commit(minute, flows);
    minute += 1;
  };
}
