import type { ExecutionResult } from 'graphql';

/** Codes of errors that may be gone when the same query is asked again. */
const PASSING: ReadonlySet<unknown> = new Set(['BACKEND', 'TIMEOUT', 'BUSY']);

export const hasPassingError = ({ errors = [] }: ExecutionResult): boolean =>
  errors.some(({ extensions }) => PASSING.has(extensions['code']));
