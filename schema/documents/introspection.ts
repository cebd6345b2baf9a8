import { GraphQLError } from 'graphql';
import { ERRORS, type ErrorKind } from '../../domain/errors.ts';
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

/** Returns the error of an operation that requests the schema; null: its caller may. */
export function introspectionFault(
  mode: IntrospectionMode,
  isSignedIn: boolean,
): GraphQLError | null {
  const refusal = refusalOf(mode, isSignedIn);
  if (!refusal) return null;
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
