import type { GraphQLError } from 'graphql';
import { limitError } from './limit-error.ts';

/** What graphql-js says when it has compared fields of one name 500,000 times, and stops. */
const ABORTED = 'Validation aborted.';
const COMPARISONS = 500_000;

/** The limit at which a validation gave up, which its own error does not tell; null: none. */
export const abortedFault = (errors: readonly Error[]): GraphQLError | null =>
  errors.some(({ message }) => message === ABORTED)
    ? limitError('The comparisons of repeated fields', COMPARISONS, 'more')
    : null;
