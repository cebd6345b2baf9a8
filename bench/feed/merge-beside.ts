import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Product, silentLog } from '../systems/product.ts';
import {
  type ContextMerges,
  type MergeContext,
  mergeSchedulerModule,
} from '../systems/product-merging.ts';
import type { ThreadTarget } from './merge-thread.ts';

export type Merging = {
  /** Merges and sweeps once, as `serve` does periodically. Returns what was merged. */
  look(): Promise<{ readonly merges: number; readonly bytes: number }>;
  stop(): Promise<void>;
};

export type MergingToStart = {
  readonly product: Product;
  readonly databaseUrl: string;
  readonly nowMs: () => number;
};

/** Runs the background merging of `serve` on demand, on the clock of the stream. */
export async function startMerging({
  product,
  databaseUrl,
  nowMs,
}: MergingToStart): Promise<Merging> {
  const { mergeScheduler } = await mergeSchedulerModule(product);
  let merges = 0;
  let bytes = 0;
  const mergeContext: MergeContext = async (target) => {
    const done = await mergeInThread({ ...target, product, now: Math.floor(nowMs() / 1000) });
    if (done.damaged.length > 0) throw new Error(done.damaged.join('\n'));
    merges += done.merges;
    bytes += done.bytes;
    return done;
  };
  const log = await silentLog(product);
  const merger = mergeScheduler({ databaseUrl, log, clock: nowMs, delays: null, mergeContext });
  return {
    async look() {
      const before = { merges, bytes };
      await merger.runOnce();
      return { merges: merges - before.merges, bytes: bytes - before.bytes };
    },
    stop: () => merger.stop(),
  };
}

async function mergeInThread(target: ThreadTarget): Promise<ContextMerges> {
  const { product, databaseUrl, contextId, now } = target;
  const workerData: ThreadTarget = { product, databaseUrl, contextId, now };
  const worker = new Worker(join(import.meta.dirname, 'merge-thread.js'), { workerData });
  const exited = once(worker, 'exit');
  const [merges] = (await once(worker, 'message')) as [ContextMerges];
  await exited;
  return merges;
}
