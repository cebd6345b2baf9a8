import {
  type Fault,
  faultOfProblem,
  faultOfResponse,
  type GraphQLProblem,
  NoAnswer,
  UNREACHABLE,
} from './fault.ts';
import type { Operation } from './operation.ts';
import type { Session } from './session.ts';

export type OperationAnswer<Data> = {
  readonly data: Data;
  /** Errors in parts of the answer. */
  readonly problems: readonly GraphQLProblem[];
};

/** By whom a request is sent, and what aborts it. */
export type SendOptions = { readonly session: Session; readonly signal?: AbortSignal };

/** Sends an operation by its document's hash. Errors: `NoAnswer`; an `AbortError` on abort. */
export async function ask<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  options: SendOptions,
): Promise<OperationAnswer<Data>> {
  const request: GraphQLRequest = { operation, variables, accept: JSON_ANSWERS };
  const response = await send(request, options);
  return readAnswer<Data>(response, options.signal);
}

const JSON_ANSWERS = 'application/graphql-response+json, application/json';

/** Reads an answer as JSON, or throws why there is none. Errors: as for `ask`. */
export async function readAnswer<Data>(
  response: Response,
  signal: AbortSignal | undefined,
): Promise<OperationAnswer<Data>> {
  const body = await readBody<Data>(response, signal);
  const [first] = body?.errors ?? [];
  if (!response.ok || !body) throw new NoAnswer(faultOfResponse(response, first ?? null));
  return answerOf(body, response.headers.get('x-request-id'));
}

/** Returns the answer in a body of GraphQL's shape. Errors: `NoAnswer`. */
export function answerOf<Data>(body: Body<Data>, requestId: string | null): OperationAnswer<Data> {
  const problems = body.errors ?? [];
  if (body.data) return { data: body.data, problems };
  const problem = problems[0] ?? { message: 'The answer has no data' };
  throw new NoAnswer(faultOfProblem(problem, requestId));
}

/** The only characters a header may have (RFC 9110, 5.5); no valid user or token has others. */
const IN_A_HEADER = /^[\x20-\x7e\xa0-\xff]*$/;

const NOBODY: Fault = {
  kind: 'unauthenticated',
  message: 'Invalid API token',
  retrySeconds: null,
  requestId: null,
};

export type GraphQLRequest = {
  readonly operation: Operation<unknown, never>;
  readonly variables: unknown;
  /** The accepted media types of the response. */
  readonly accept: string;
};

/** Sends a request. Errors: `NoAnswer` if there is no response at all; an `AbortError` on abort. */
export async function send(
  { operation, variables, accept }: GraphQLRequest,
  { session, signal }: SendOptions,
): Promise<Response> {
  const { username, token } = session;
  if (!IN_A_HEADER.test(username + (token ?? ''))) throw new NoAnswer(NOBODY);
  const { hash, name } = operation;
  try {
    return await fetch(new URL('graphql', document.baseURI), {
      method: 'POST',
      headers: {
        accept,
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}`, 'x-username': username }),
      },
      credentials: token === null ? 'same-origin' : 'omit',
      cache: 'no-store',
      body: JSON.stringify({ documentId: `sha256:${hash}`, operationName: name, variables }),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new NoAnswer(UNREACHABLE);
  }
}

export type Body<Data> = {
  readonly data?: Data | null;
  readonly errors?: readonly GraphQLProblem[];
};

/** Returns the JSON of a body. A stream that is refused has one event, with the error. */
const jsonIn = ({ headers }: Response, text: string): string =>
  headers.get('content-type')?.startsWith('text/event-stream')
    ? (/^data: (.*)$/m.exec(text)?.[1] ?? text)
    : text;

/** Reads the body; null if it is not JSON, such as an error page of a proxy. */
async function readBody<Data>(
  response: Response,
  signal: AbortSignal | undefined,
): Promise<Body<Data> | null> {
  const text = await response.text().catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new NoAnswer(UNREACHABLE);
  });
  try {
    const value: unknown = JSON.parse(jsonIn(response, text));
    // The document's hash implies the type of its answer: both are generated together.
    return typeof value === 'object' && value !== null ? (value as Body<Data>) : null;
  } catch {
    return null;
  }
}
