import { OperationProgress } from '../../../resolvers/operation-progress.ts';

/**
 * The progress of an operation that never gives way: when a value makes its parent null, which of
 * the errors beside it are found in time depends on the machine.
 */
class Hurried extends OperationProgress {
  override get isDue(): boolean {
    return false;
  }
}

/** Returns the progress of an operation that may complete any number of values, in one go. */
export const unlimited = (): OperationProgress =>
  new Hurried({
    values: Number.POSITIVE_INFINITY,
    exceeded: () => new Error('too many values'),
    onWritten: () => undefined,
    onWaiting: () => undefined,
  });
