import { OperationProgress } from '../../../resolvers/operation-progress.ts';

/** Returns the progress of an operation that may complete any number of values. */
export const unlimited = (): OperationProgress =>
  new OperationProgress({
    values: Number.POSITIVE_INFINITY,
    exceeded: () => new Error('too many values'),
    onWritten: () => undefined,
    onWaiting: () => undefined,
  });
