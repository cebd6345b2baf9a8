import type { Cleanup } from '../cleanup.ts';
import { CONTEXT } from '../systems/declaration.ts';
import { createGraphClient } from '../systems/graph-client.ts';
import { type Product, startServer } from '../systems/product.ts';
import { BUCKET_SECONDS, START } from '../traffic/traffic.ts';

/** The Hosts group, which flows fill (operations, "Flows to counters"). */
const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

const TOPPER = `query ($context: String!, $group: Guid!, $window: WindowInput!) {
  context(name: $context) {
    counterGroup(guid: $group) {
      topper(meter: 0, window: $window, maxItems: 100) { total keys { key label metric } }
    }
  }
}`;

const HOUR_SECONDS = 3600;

/**
 * Starts a server. The returned function asks it for the topper of the hour before a minute's end
 * and returns the milliseconds.
 */
export async function openAsker(
  { databaseUrl, product }: { readonly databaseUrl: string; readonly product: Product },
  cleanup: Cleanup,
): Promise<(minute: number) => Promise<number>> {
  // Without merging: by the machine's clock, the day of the stream was over long ago.
  const server = await startServer(databaseUrl, { merging: { delays: null }, product });
  cleanup.add(() => server.close());
  const client = createGraphClient(server.url);
  cleanup.add(() => client.close());
  return async (minute) => {
    const to = START + (minute + 1) * BUCKET_SECONDS;
    const window = { interval: { from: Math.max(START, to - HOUR_SECONDS), to } };
    const started = performance.now();
    await client.ask(TOPPER, { context: CONTEXT, group: HOSTS, window });
    return performance.now() - started;
  };
}
