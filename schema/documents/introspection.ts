import { type DocumentNode, GraphQLError, getOperationAST } from 'graphql';
import { ERRORS, type ErrorKind } from '../../domain/errors.ts';
import { measureDocument } from '../limits/measure-document.ts';
import type { IntrospectionMode } from './introspection-modes.ts';

/** Returns the error for a caller who requests the schema; null: the caller may. */
const refusalOf = (mode: IntrospectionMode, isSignedIn: boolean): ErrorKind | null => {
  switch (mode) {
    case 'on':
      return null;
    case 'signed-in':
      return isSignedIn ? null : 'invalidToken';
    case 'off':
      return 'introspectionOff';
    default:
      return mode satisfies never;
  }
};

/** Whether a caller may request the schema. For other callers, errors must not reveal it. */
export const mayIntrospect = (mode: IntrospectionMode, isSignedIn: boolean): boolean =>
  refusalOf(mode, isSignedIn) === null;

/**
 * Returns the error of an operation that requests the schema although its caller may not; null: it
 * may run. `__typename` is not introspection. The result depends on the caller, so this check runs
 * for every request and is not a validation rule: results of validation are cached.
 */
export function introspectionFault(
  document: DocumentNode,
  operationName: string | null | undefined,
  mode: IntrospectionMode,
  isSignedIn: boolean,
): GraphQLError | null {
  const refusal = refusalOf(mode, isSignedIn);
  if (!refusal) return null;
  const operation = getOperationAST(document, operationName);
  const depth = (operation && measureDocument(document).get(operation)?.introspectionDepth) ?? 0;
  if (depth === 0) return null;
  const { message, code, status } = ERRORS[refusal];
  const headers = code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {};
  return new GraphQLError(message, { extensions: { code, http: { status, headers } } });
}

/** How graphql-js puts names of the schema into its errors: always at the end. */
const SUGGESTION = /\s*Did you mean .*\?$/s;

export const hasSuggestion = ({ message }: GraphQLError): boolean => SUGGESTION.test(message);

/** Returns the error without the suggested names of the schema. */
export function withoutSuggestion(error: GraphQLError): GraphQLError {
  if (!hasSuggestion(error)) return error;
  const { nodes, source, positions, path, extensions } = error;
  return new GraphQLError(error.message.replace(SUGGESTION, ''), {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
}
