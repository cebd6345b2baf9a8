import { type ASTNode, GraphQLError } from 'graphql';
import { serviceError } from '../../domain/errors.ts';

/** The table's `limit`, as the failure of a whole request: its status is that of the error. */
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
