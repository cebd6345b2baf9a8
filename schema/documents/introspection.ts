import { type DocumentNode, GraphQLError, getOperationAST } from 'graphql';
import { ERRORS, type ErrorKind } from '../../domain/errors.ts';
import { measureDocument } from '../limits/measure-document.ts';
import type { IntrospectionMode } from './introspection-modes.ts';

/** Who would be refused. */
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

/** Whether a caller may ask for the schema; whoever may not is told nothing of it by errors. */
export const mayIntrospect = (mode: IntrospectionMode, isSignedIn: boolean): boolean =>
  refusalOf(mode, isSignedIn) === null;

/**
 * The error of an operation that asks for the schema where its caller may not; null: it may run.
 * `__typename` is no introspection. The caller has to be known, so this is asked of every request
 * anew and is no rule of validation, whose results are remembered.
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

/** As graphql-js puts names of the schema into its errors: always at their end. */
const SUGGESTION = /\s*Did you mean .*\?$/s;

export const hasSuggestion = ({ message }: GraphQLError): boolean => SUGGESTION.test(message);

/** The same error without names that resemble what was asked for. */
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
