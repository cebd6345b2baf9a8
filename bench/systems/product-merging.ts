import { builtModule, type Product, THIS_PRODUCT } from './product.ts';

/** The parts of the product that merge and sweep. check/ compares these types with the sources. */

export type MergeTarget = {
  readonly databaseUrl: string;
  readonly contextId: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
};

export type ContextMerges = {
  readonly outcome: 'done' | 'busy';
  readonly merges: number;
  readonly replaced: number;
  readonly rollUps: number;
  readonly bytes: number;
  readonly damaged: readonly string[];
};

export type MergeContext = (target: MergeTarget) => Promise<ContextMerges>;

export type Merger = { runOnce(): Promise<void>; stop(): Promise<void> };

export type MergingModules<Log> = {
  readonly mergeScheduler: (options: {
    readonly databaseUrl: string;
    readonly log: Log;
    readonly clock: () => number;
    readonly delays: null;
    readonly mergeContext: MergeContext;
  }) => Merger;
  readonly mergeHere: MergeContext;
};

export const mergeSchedulerModule = (
  product: Product = THIS_PRODUCT,
): Promise<Pick<MergingModules<object>, 'mergeScheduler'>> =>
  builtModule('server/background/merge-scheduler.js', product);

export const mergeModule = (
  product: Product = THIS_PRODUCT,
): Promise<Pick<MergingModules<object>, 'mergeHere'>> =>
  builtModule('server/background/merge-in-thread.js', product);
