import type { OperationProgress } from '../resolvers/operation-progress.ts';
import type { RequestScope } from '../resolvers/request-scope.ts';

/** What resolvers may use: the scope of the request, and the progress of the operation. */
export type OperationScope = RequestScope & {
  readonly progress: Pick<OperationProgress, 'expect'>;
};
