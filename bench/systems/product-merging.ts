import { builtModule, type Product, THIS_PRODUCT } from './product.ts';

/** The parts of the product that merge and sweep. check/ compares these types with the sources. */

export type MergeTarget = {
  readonly databaseUrl: string;
  readonly contextId: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
};

export type MergeVisit = {
  readonly outcome: 'done' | 'busy';
  readonly merges: number;
  readonly replaced: number;
  readonly rollUps: number;
  readonly bytes: number;
  readonly damaged: readonly string[];
};

export type VisitContext = (target: MergeTarget) => Promise<MergeVisit>;

export type Merger = { runOnce(): Promise<void>; stop(): Promise<void> };

export type MergingModules<Log> = {
  readonly keepMerged: (options: {
    readonly databaseUrl: string;
    readonly log: Log;
    readonly clock: () => number;
    readonly delays: null;
    readonly visit: VisitContext;
  }) => Merger;
  readonly visitHere: VisitContext;
};

export const keepMergedModule = (
  product: Product = THIS_PRODUCT,
): Promise<Pick<MergingModules<object>, 'keepMerged'>> =>
  builtModule('server/background/merge-scheduler.js', product);

export const visitModule = (
  product: Product = THIS_PRODUCT,
): Promise<Pick<MergingModules<object>, 'visitHere'>> =>
  builtModule('server/background/merge-in-thread.js', product);
