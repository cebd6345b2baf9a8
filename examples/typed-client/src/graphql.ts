import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.js';

/**
 * Writes a query whose variables and data TypeScript then knows, from the schema alone: nothing is
 * generated again when a query changes.
 */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: {
    /** Seconds since 1970. */
    EpochSeconds: number;
    /** A number while that is exact, a text of digits beyond 2^53: `BigInt(value)` takes both. */
    BigInt: number | string;
    Guid: string;
  };
}>();

export type { ResultOf, VariablesOf } from 'gql.tada';
