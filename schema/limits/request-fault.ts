import { type DocumentNode, type GraphQLError, getOperationAST, getVariableValues } from 'graphql';
import { schema } from '../schema.ts';
import { costFault } from './cost-fault.ts';
import { documentFault } from './document-fault.ts';
import type { GraphQLLimits } from './graphql-limits.ts';

export type GraphQLRequest = {
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
