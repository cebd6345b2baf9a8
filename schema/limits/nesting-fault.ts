import type { GraphQLError } from 'graphql';
import { LIMITS } from '../../domain/limits.ts';
import { limitError } from './limit-error.ts';

/** Returns an error if lists and objects in the parameters of a request are nested too deeply. */
export const nestingFault = (params: object): GraphQLError | null =>
  isDeeper(params, LIMITS.graphqlNesting)
    ? limitError('The nesting of the request', LIMITS.graphqlNesting, 'more')
    : null;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));
