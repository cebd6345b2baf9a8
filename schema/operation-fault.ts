import { type DocumentNode, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql';
import { malformed } from '../domain/errors.ts';
import { schema } from './schema.ts';

/** What an operation can be, as far as this schema has a root for it. */
const KINDS = Object.values(OperationTypeNode).filter((kind) => schema.getRootType(kind));

/**
 * The error of an operation of a kind that the schema does not have. No rule of validation finds
 * it, and graphql-js would execute it to an answer that looks like that of a failed field.
 */
export function operationFault(
  document: DocumentNode,
  operationName: string | null | undefined,
): GraphQLError | null {
  const operation = getOperationAST(document, operationName);
  if (!operation || KINDS.includes(operation.operation)) return null;
  const must = KINDS.map((kind) => `a ${kind}`).join(' or ');
  const { message, code, status } = malformed('The operation', must, operation.operation);
  return new GraphQLError(message, { nodes: operation, extensions: { code, http: { status } } });
}
