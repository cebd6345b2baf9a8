import type { GraphQLError } from 'graphql';
import { LIMITS } from '../../domain/limits.ts';
import { limitError } from './limit-error.ts';

/** What graphql-js says when it has compared fields of one name so often, and stops. */
const ABORTED = 'Validation aborted.';

/** The limit at which a validation gave up, which its own error does not tell; null: none. */
export const abortedFault = (errors: readonly Error[]): GraphQLError | null =>
  errors.some(({ message }) => message === ABORTED)
    ? limitError('The comparisons of repeated fields', LIMITS.graphqlComparisons, 'more')
    : null;
