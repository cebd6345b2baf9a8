import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Product } from '../systems/product.ts';
import { mergeModule } from '../systems/product-merging.ts';

/** The product's own thread uses the machine's clock; this one uses the clock of the stream. */
export type ThreadTarget = {
  readonly product: Product;
  readonly databaseUrl: string;
  readonly contextId: number;
  /** Epoch seconds. */
  readonly now: number;
};

// As in the product, threads that answer requests take priority.
if (process.platform === 'linux') setPriority(0, 10);

const { product, databaseUrl, contextId, now } = workerData as ThreadTarget;
const { mergeHere } = await mergeModule(product);
const { signal } = new AbortController();
parentPort?.postMessage(await mergeHere({ databaseUrl, contextId, now: () => now, signal }));
