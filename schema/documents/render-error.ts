import { GraphQLError } from 'graphql';
import { ERRORS, type ErrorKind, ServiceError, serviceError } from '../../domain/errors.ts';

const CODES: ReadonlySet<unknown> = new Set(Object.values(ERRORS).map(({ code }) => code));

/** Of the errors that were rendered here, what they come from. */
const KINDS = new WeakMap<GraphQLError, ErrorKind>();

/** Of those that came from something a caller must not see, what that was. */
const CAUSES = new WeakMap<GraphQLError, unknown>();

/** What an operator must know of an error beyond what is told; undefined: nothing. */
export const causeOf = (error: GraphQLError): unknown => CAUSES.get(error);

/** The row of the table that an answer's error is of; `document`: what was sent was wrong. */
export function errorKindOf(error: GraphQLError): ErrorKind | 'document' {
  const known = KINDS.get(error);
  if (known) return known;
  return error.extensions['code'] === 'LIMIT' ? 'limit' : 'document';
}

/** What lies at the bottom of an error that GraphQL wrapped once or more. */
function originOf(error: unknown): unknown {
  let origin = error;
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError;
  return origin;
}

/**
 * An error of the execution as callers see it: those of the table with their code, a defect as
 * `internal`. What a caller must not see is `causeOf` it.
 */
export function renderError(error: unknown): GraphQLError {
  const origin = originOf(error);
  // Syntax, validation, variables: the document's or the caller's own mistake. What wraps it says
  // which variable it is about.
  if (origin instanceof GraphQLError && error instanceof GraphQLError) {
    return isUnreadableBody(origin) ? serviceErrorAt(NO_JSON, null) : withCode(error);
  }
  if (origin instanceof ServiceError) {
    const rendered = serviceErrorAt(origin, error);
    // What is wrong with a request is for the caller to know, whatever told us so.
    if (origin.cause !== undefined && origin.status >= 500) CAUSES.set(rendered, origin);
    return rendered;
  }
  const { message } = ERRORS.internal;
  const rendered = serviceErrorAt(new ServiceError('internal', message), error);
  CAUSES.set(rendered, origin);
  return rendered;
}

const NO_JSON = serviceError('unreadableBody', { 'what is wrong': 'it is not JSON' });

/** Of a body that is no JSON Yoga repeats what JavaScript said to it. */
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
 * A field that fails leaves the answer's status alone; a request that fails as a whole has the
 * status of its error. Decision 11: whoever is not signed in gets 401 in both cases, and is never
 * asked for Basic credentials, which browsers would keep and send along by themselves.
 */
function httpOf(service: ServiceError, isField: boolean) {
  if (service.code === 'UNAUTHENTICATED') {
    return { http: { status: 401, headers: { 'www-authenticate': 'Bearer' } } };
  }
  if (isField) return {};
  const { retryAfterSeconds } = service;
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { http: { status: service.status, headers } };
}
