import type { GraphQLError } from 'graphql';
import { LIMITS } from '../../domain/limits.ts';
import { limitError } from './limit-error.ts';

/** The message of graphql-js when it has compared too many same-named fields, and stops. */
const ABORTED = 'Validation aborted.';

/**
 * Returns the error of the limit at which validation gave up, which graphql-js's own error does not
 * name; null: it did not give up.
 */
export const abortedFault = (errors: readonly Error[]): GraphQLError | null =>
  errors.some(({ message }) => message === ABORTED)
    ? limitError('The comparisons of repeated fields', LIMITS.graphqlComparisons, 'more')
    : null;
