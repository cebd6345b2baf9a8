import { ServiceError, serviceError } from '../domain/errors.ts';
import type { NodeChoice } from '../resolvers/nodes.ts';
import type { AnonymousScope, Rendered } from '../resolvers/request-scope.ts';
import { type AskedOfRest, answerRequest, timeoutOf } from './answer-request.ts';
import { counterGroupInfo } from './counter-group-info.ts';
import type { Endpoint } from './endpoint.ts';
import { jsonAnswer } from './json-answer.ts';
import { fromQuery, type Parameters } from './parameters.ts';
import { readBody } from './read-body.ts';
import { timeSlices } from './time-slices.ts';
import { topper } from './topper.ts';

export type RestRequest = {
  readonly path: string;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly contentType: string | null;
  readonly headerCredentials: AskedOfRest['headerCredentials'];
  /** Read when the method has one; fails with 413 past the limit. */
  readonly body: () => Promise<Buffer>;
};

/** Makes the scope of one request, works in it, and gives back what it holds. */
export type WithScope = <T>(
  timeoutSeconds: (settings: AnonymousScope['settings']) => number | null,
  work: (scope: AnonymousScope) => Promise<T>,
) => Promise<T>;

/** Each endpoint by its path, its options known to itself only. */
const ENDPOINTS: ReadonlyMap<string, (asked: AskedOfRest, scope: WithScope) => Promise<Rendered>> =
  new Map([bound(timeSlices), bound(counterGroupInfo), bound(topper)]);

function bound<Options extends { node: NodeChoice }>(endpoint: Endpoint<Options>) {
  const answer = (asked: AskedOfRest, withScope: WithScope) =>
    withScope(
      (settings) => timeoutOf(endpoint, asked.parameters, settings),
      (scope) => answerRequest(endpoint, asked, scope),
    );
  return [endpoint.path, answer] as const;
}

export const isRestPath = (path: string): boolean => ENDPOINTS.has(path);

/**
 * The answer of a legacy endpoint, errors included. An error that is none of the table is a defect
 * and thrown on: the server logs it and answers as for any defect.
 */
export async function handleRest(
  request: RestRequest,
  withScope: WithScope,
  onError: (error: ServiceError) => void,
): Promise<Rendered> {
  try {
    const answer = ENDPOINTS.get(request.path);
    if (!answer) throw serviceError('noSuchPath', { path: request.path });
    const { headerCredentials } = request;
    const parameters = await readParameters(request);
    return await answer({ parameters, headerCredentials }, withScope);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    onError(error);
    return renderError(error);
  }
}

async function readParameters(request: RestRequest): Promise<Parameters> {
  const query = fromQuery(request.query);
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return query;
    case 'POST':
      // Decision 1: in a POST the body wins over the query string.
      return (await readBody(await request.body(), request.contentType)).over(query);
    default:
      throw serviceError('methodNotAllowed', { method: request.method });
  }
}

/** The specification's error shape, for whatever the whole service answers with JSON. */
export function renderError(error: ServiceError): Rendered {
  const { kind, retryAfterSeconds } = error;
  const headers = {
    ...(kind === 'methodNotAllowed' && { allow: 'GET, HEAD, POST' }),
    // Decision 11: never Basic, so that no browser makes credentials ambient.
    ...(kind === 'invalidToken' && { 'www-authenticate': 'Bearer' }),
    ...(retryAfterSeconds !== null && { 'retry-after': String(retryAfterSeconds) }),
  };
  return jsonAnswer(error.status, { status: 'ERROR', message: error.message }, headers);
}
