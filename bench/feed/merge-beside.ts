import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Product, silentLog } from '../systems/product.ts';
import {
  keepMergedModule,
  type MergeVisit,
  type VisitContext,
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
  const { keepMerged } = await keepMergedModule(product);
  let merges = 0;
  let bytes = 0;
  const visit: VisitContext = async (target) => {
    const done = await visitInThread({ ...target, product, now: Math.floor(nowMs() / 1000) });
    if (done.damaged.length > 0) throw new Error(done.damaged.join('\n'));
    merges += done.merges;
    bytes += done.bytes;
    return done;
  };
  const log = await silentLog(product);
  const merger = keepMerged({ databaseUrl, log, clock: nowMs, delays: null, visit });
  return {
    async look() {
      const before = { merges, bytes };
      await merger.runOnce();
      return { merges: merges - before.merges, bytes: bytes - before.bytes };
    },
    stop: () => merger.stop(),
  };
}

async function visitInThread(target: ThreadTarget): Promise<MergeVisit> {
  const { product, databaseUrl, contextId, now } = target;
  const workerData: ThreadTarget = { product, databaseUrl, contextId, now };
  const worker = new Worker(join(import.meta.dirname, 'merge-thread.js'), { workerData });
  const exited = once(worker, 'exit');
  const [visit] = (await once(worker, 'message')) as [MergeVisit];
  await exited;
  return visit;
}
