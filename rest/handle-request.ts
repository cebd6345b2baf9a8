import { ServiceError, serviceError } from '../domain/errors.ts';
import type { NodeChoice } from '../resolvers/nodes.ts';
import type { AnonymousScope } from '../resolvers/request-scope.ts';
import { answerRequest, timeoutOf } from './answer-request.ts';
import { counterGroupInfo } from './counter-group-info.ts';
import type { Endpoint, EndpointAnswer } from './endpoint.ts';
import { fromQuery, type Parameters } from './parameters.ts';
import { readBody } from './read-body.ts';
import { timeSlices } from './time-slices.ts';
import { topper } from './topper.ts';
import { JSON_HEADERS, writeJson } from './write-json.ts';

export type RestRequest = {
  readonly path: string;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly contentType: string | null;
  /** Read when the method has one; fails with 413 past the limit. */
  readonly body: () => Promise<Buffer>;
};

export type RestAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Makes the scope of one request, works in it, and gives back what it holds. */
export type WithScope = <T>(
  timeoutSeconds: (settings: AnonymousScope['settings']) => number | null,
  work: (scope: AnonymousScope) => Promise<T>,
) => Promise<T>;

/** Each endpoint by its path, its options known to itself only. */
const ENDPOINTS: ReadonlyMap<
  string,
  (parameters: Parameters, scope: WithScope) => Promise<EndpointAnswer>
> = new Map([bound(timeSlices), bound(counterGroupInfo), bound(topper)]);

function bound<Options extends { node: NodeChoice }>(endpoint: Endpoint<Options>) {
  const answer = (parameters: Parameters, withScope: WithScope) =>
    withScope(
      (settings) => timeoutOf(endpoint, parameters, settings),
      (scope) => answerRequest(endpoint, parameters, scope),
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
): Promise<RestAnswer> {
  try {
    const answer = ENDPOINTS.get(request.path);
    if (!answer) throw serviceError('noSuchPath', { path: request.path });
    const parameters = await readParameters(request);
    const { headers, write } = await answer(parameters, withScope);
    return { status: 200, headers, body: write() };
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
export function renderError(error: ServiceError): RestAnswer {
  const { kind, retryAfterSeconds } = error;
  const headers = {
    ...JSON_HEADERS,
    ...(kind === 'methodNotAllowed' && { allow: 'GET, HEAD, POST' }),
    ...(retryAfterSeconds !== null && { 'retry-after': String(retryAfterSeconds) }),
  };
  const body = writeJson({ status: 'ERROR', message: error.message });
  return { status: error.status, headers, body };
}
