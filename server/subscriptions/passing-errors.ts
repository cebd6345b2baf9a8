import type { OperationResult } from '../graphql/run-operation.ts';

/** Codes of errors that may be gone when the same query is asked again. */
const PASSING: ReadonlySet<unknown> = new Set(['BACKEND', 'TIMEOUT', 'BUSY']);

export const hasPassingError = ({ errors }: OperationResult): boolean =>
  errors.some(({ extensions }) => PASSING.has(extensions['code']));
