import type { ExecutionResult } from 'graphql';

/** Errors that may be gone the next time that the same is asked. */
const PASSING: ReadonlySet<unknown> = new Set(['BACKEND', 'TIMEOUT', 'BUSY']);

export const hasPassingError = ({ errors = [] }: ExecutionResult): boolean =>
  errors.some(({ extensions }) => PASSING.has(extensions['code']));
