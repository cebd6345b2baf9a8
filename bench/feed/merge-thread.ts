import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { visitModule } from '../systems/product-merging.ts';

/** The product's own thread has the machine's clock; here the time is that of the stream. */
export type ThreadTarget = {
  readonly databaseUrl: string;
  readonly contextId: number;
  /** Epoch seconds. */
  readonly now: number;
};

// As in the product: whatever answers requests goes first.
if (process.platform === 'linux') setPriority(0, 10);

const { databaseUrl, contextId, now } = workerData as ThreadTarget;
const { visitHere } = await visitModule();
const { signal } = new AbortController();
parentPort?.postMessage(await visitHere({ databaseUrl, contextId, now: () => now, signal }));
