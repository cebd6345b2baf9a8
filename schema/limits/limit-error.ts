import { type ASTNode, GraphQLError } from 'graphql';
import { serviceError } from '../../domain/errors.ts';

/** Returns the table's `limit` error for a request that fails as a whole, with its status. */
export function limitError(
  what: string,
  limit: number,
  given: number | string,
  node?: ASTNode,
): GraphQLError {
  const { message, code, status } = serviceError('limit', { what, limit, 'what was given': given });
  return new GraphQLError(message, {
    ...(node && { nodes: node }),
    extensions: { code, http: { status } },
  });
}
