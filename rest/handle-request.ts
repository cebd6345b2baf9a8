import { ServiceError, serviceError } from '../domain/errors.ts';
import type { NodeChoice } from '../resolvers/nodes.ts';
import type { AnonymousScope, Rendered } from '../resolvers/request-scope.ts';
import { answerRequest, checkCredentials, type RestCall, timeoutOf } from './answer-request.ts';
import type { AnsweringEndpoint } from './endpoint.ts';
import { counterGroupInfo } from './endpoints/counter-group-info.ts';
import { timeSlices } from './endpoints/time-slices.ts';
import { topper } from './endpoints/topper.ts';
import { topperMetrics } from './endpoints/topper-metrics.ts';
import { jsonAnswer, type TextAnswer } from './json-answer.ts';
import { fromQuery, type Parameters } from './parameters/parameters.ts';
import { readBody } from './read-body.ts';

type RestRequest = {
  readonly path: string;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly contentType: string | null;
  readonly headerCredentials: RestCall['headerCredentials'];
  /**
   * Called only if the method has a body; fails with 413 beyond the limit. `mayAsk` is called before
   * a client that waits for it is asked for its body; if it fails, the body stays away.
   */
  readonly body: (mayAsk: () => Promise<unknown>) => Promise<Buffer>;
};

/** Creates the scope of one request, runs `work` in it, and releases what the scope holds. */
type WithScope = <T>(
  timeoutSeconds: (settings: AnonymousScope['settings']) => number | null,
  work: (scope: AnonymousScope) => Promise<T>,
) => Promise<T>;

/** An endpoint whose options only it knows. */
type BoundEndpoint = {
  readonly methods: readonly string[];
  readonly answer: (call: RestCall, withScope: WithScope) => Promise<Rendered>;
  readonly checkCredentials: (call: RestCall, withScope: WithScope) => Promise<void>;
};

/** Each endpoint by its path. */
const ENDPOINTS: ReadonlyMap<string, BoundEndpoint> = new Map([
  bound(timeSlices),
  bound(counterGroupInfo),
  bound(topper),
  bound(topperMetrics),
]);

function bound<Options extends { node: NodeChoice }>(endpoint: AnsweringEndpoint<Options>) {
  const { path, isScraped } = endpoint;
  const methods = isScraped ? ['GET', 'HEAD'] : ['GET', 'HEAD', 'POST'];
  const inScope =
    <T>(work: (call: RestCall, scope: AnonymousScope) => Promise<T>) =>
    (call: RestCall, withScope: WithScope) =>
      withScope(
        (settings) => timeoutOf(endpoint, call.parameters, settings),
        (scope) => work(call, scope),
      );
  return [
    path,
    {
      methods,
      answer: inScope((call, scope) => answerRequest(endpoint, call, scope)),
      checkCredentials: inScope((call, scope) => checkCredentials(endpoint, call, scope)),
    },
  ] as const;
}

export const isRestPath = (path: string): boolean => ENDPOINTS.has(path);

/**
 * Returns the answer of a REST endpoint, errors included. An error that is not in the table is a
 * defect and is rethrown: the server logs it and answers as for any defect.
 */
export async function handleRest(
  request: RestRequest,
  withScope: WithScope,
  onError: (error: ServiceError) => void,
): Promise<Rendered> {
  const endpoint = ENDPOINTS.get(request.path);
  try {
    if (!endpoint) throw serviceError('noSuchPath', { path: request.path });
    const { headerCredentials } = request;
    const parameters = await readParameters(request, endpoint, withScope);
    return await endpoint.answer({ parameters, headerCredentials }, withScope);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    onError(error);
    return renderError(error, endpoint?.methods);
  }
}

async function readParameters(
  request: RestRequest,
  { methods, checkCredentials: check }: BoundEndpoint,
  withScope: WithScope,
): Promise<Parameters> {
  const { method, headerCredentials } = request;
  if (!methods.includes(method)) {
    throw serviceError('methodNotAllowed', { method, methods: alternatives(methods) });
  }
  const query = fromQuery(request.query);
  if (method !== 'POST') return query;
  // Decision 1: in a POST the body wins over the query string.
  const mayAsk = () => check({ parameters: query, headerCredentials }, withScope);
  return (await readBody(await request.body(mayAsk), request.contentType)).over(query);
}

const alternatives = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** The specification's error shape, for all errors that the service returns as JSON. */
export function renderError(
  error: ServiceError,
  methods: readonly string[] = ['GET', 'HEAD', 'POST'],
): TextAnswer {
  const { kind, retryAfterSeconds } = error;
  const headers = {
    ...(kind === 'methodNotAllowed' && { allow: methods.join(', ') }),
    // RFC 9110, 15.5.16.
    ...(kind === 'unsupportedEncoding' && { 'accept-encoding': 'gzip' }),
    // Decision 11: never Basic, so that no browser sends credentials on its own.
    ...(kind === 'invalidToken' && { 'www-authenticate': 'Bearer' }),
    ...(retryAfterSeconds !== null && { 'retry-after': String(retryAfterSeconds) }),
  };
  return jsonAnswer(error.status, { status: 'ERROR', message: error.message }, headers);
}
