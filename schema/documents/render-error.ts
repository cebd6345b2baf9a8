import { GraphQLError } from 'graphql';
import { ERRORS, type ErrorKind, ServiceError, serviceError } from '../../domain/errors.ts';

const CODES: ReadonlySet<unknown> = new Set(Object.values(ERRORS).map(({ code }) => code));

/** The kinds of the errors that were rendered here. */
const KINDS = new WeakMap<GraphQLError, ErrorKind>();

/** The causes of rendered errors, if callers must not see them. */
const CAUSES = new WeakMap<GraphQLError, unknown>();

/** Returns what operators, but not callers, need to know about an error; undefined: nothing. */
export const causeOf = (error: GraphQLError): unknown => CAUSES.get(error);

/** Returns the row of the error table for an answer's error; `document`: what was sent is wrong. */
export function errorKindOf(error: GraphQLError): ErrorKind | 'document' {
  const known = KINDS.get(error);
  if (known) return known;
  return error.extensions['code'] === 'LIMIT' ? 'limit' : 'document';
}

/** Returns the innermost error of one that GraphQL wrapped once or more. */
function originOf(error: unknown): unknown {
  let origin = error;
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError;
  return origin;
}

/**
 * Renders an error of the execution for callers: errors of the table with their code, a defect as
 * `internal`. `causeOf` returns what callers must not see.
 */
export function renderError(error: unknown): GraphQLError {
  const origin = originOf(error);
  // Syntax, validation, variables: a mistake of the document or the caller. The wrapping error says
  // which variable it is about.
  if (origin instanceof GraphQLError && error instanceof GraphQLError) {
    return isUnreadableBody(origin) ? serviceErrorAt(NO_JSON, null) : withCode(error);
  }
  if (origin instanceof ServiceError) {
    const rendered = serviceErrorAt(origin, error);
    // A fault of the request concerns only the caller, whatever its cause.
    if (origin.cause !== undefined && origin.status >= 500) CAUSES.set(rendered, origin);
    return rendered;
  }
  const { message } = ERRORS.internal;
  const rendered = serviceErrorAt(new ServiceError('internal', message), error);
  CAUSES.set(rendered, origin);
  return rendered;
}

const NO_JSON = serviceError('unreadableBody', { 'what is wrong': 'it is not JSON' });

/** For a body that is not JSON, Yoga repeats JavaScript's own error. */
const isUnreadableBody = ({ extensions }: GraphQLError): boolean => 'originalError' in extensions;

/** Documents that do not parse or validate are bad input too (decisions, section 10). */
export function withCode(error: GraphQLError): GraphQLError {
  if (CODES.has(error.extensions['code'])) return error;
  const http = error.extensions['http'];
  const isTooLarge =
    typeof http === 'object' && http !== null && 'status' in http && http.status === 413;
  if (isTooLarge) KINDS.set(error, 'bodyTooLarge');
  error.extensions['code'] = isTooLarge ? 'LIMIT' : 'BAD_USER_INPUT';
  return error;
}

function serviceErrorAt(service: ServiceError, thrown: unknown): GraphQLError {
  const field = thrown instanceof GraphQLError ? thrown : null;
  const rendered = new GraphQLError(service.message, {
    ...(field?.nodes && { nodes: field.nodes }),
    ...(field?.path && { path: field.path }),
    extensions: { code: service.code, ...httpOf(service, field !== null) },
  });
  KINDS.set(rendered, service.kind);
  return rendered;
}

/**
 * A field that fails does not change the status of the answer; a request that fails as a whole has
 * the status of its error. Decision 11: a caller who is not signed in gets 401 in both cases, and
 * is never asked for Basic credentials, which browsers would keep and send on their own.
 */
function httpOf(service: ServiceError, isField: boolean) {
  if (service.code === 'UNAUTHENTICATED') {
    return { http: { status: 401, headers: { 'www-authenticate': 'Bearer' } } };
  }
  const { retryAfterSeconds } = service;
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { http: isField ? { headers } : { status: service.status, headers } };
}
