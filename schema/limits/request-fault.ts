import { type DocumentNode, type GraphQLError, getOperationAST, getVariableValues } from 'graphql';
import { LIMITS } from '../../domain/limits.ts';
import { schema } from '../schema.ts';
import { costFault } from './cost-fault.ts';
import { documentFault } from './document-fault.ts';
import type { GraphQLLimits } from './graphql-limits.ts';
import { limitError } from './limit-error.ts';

type GraphQLRequest = {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  /** As they were sent. */
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
};

/**
 * Returns the error of a limit that a request exceeds, before any work is done for it: this takes
 * no statement, no resolver and no user. The document need not be valid. Variables that do not fit
 * their types are left to the execution, which refuses them.
 */
export function requestFault(
  { document, operationName, variables }: GraphQLRequest,
  limits: GraphQLLimits,
): GraphQLError | null {
  const fault = documentFault(document, limits);
  if (fault) return fault;
  const declared = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const { coerced } = getVariableValues(schema, declared, variables ?? {});
  return coerced ? costFault(document, operationName, coerced, limits) : null;
}

/** Returns an error if lists and objects in the parameters of a request are nested too deeply. */
export const nestingFault = (params: object): GraphQLError | null =>
  isDeeper(params, LIMITS.graphqlNesting)
    ? limitError('The nesting of the request', LIMITS.graphqlNesting, 'more')
    : null;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));

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
