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

export type Answer<Data> = {
  readonly data: Data;
  /** What went wrong in parts of it. */
  readonly problems: readonly GraphQLProblem[];
};

type Asked = { readonly session: Session; readonly signal?: AbortSignal };

/**
 * Asks the server by the document's hash. Errors: `NoAnswer`; an `AbortError` when the signal says so.
 */
export async function ask<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  { session, signal }: Asked,
): Promise<Answer<Data>> {
  if (!IN_A_HEADER.test(session.username + session.token)) throw new NoAnswer(NOBODY);
  const response = await send(
    { documentId: `sha256:${operation.hash}`, operationName: operation.name, variables },
    session,
    signal,
  );
  const body = await readBody<Data>(response, signal);
  const [first] = body?.errors ?? [];
  if (!response.ok || !body) throw new NoAnswer(faultOfResponse(response, first ?? null));
  if (!body.data) {
    const requestId = response.headers.get('x-request-id');
    throw new NoAnswer(faultOfProblem(first ?? { message: 'The answer has no data' }, requestId));
  }
  return { data: body.data, problems: body.errors ?? [] };
}

/** A header has no other letters (RFC 9110, 5.5), and so nobody who may ask has. */
const IN_A_HEADER = /^[\x20-\x7e\xa0-\xff]*$/;

const NOBODY: Fault = {
  kind: 'unauthenticated',
  message: 'Invalid API token',
  retrySeconds: null,
  requestId: null,
};

async function send(
  body: unknown,
  { username, token }: Session,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch(new URL('graphql', document.baseURI), {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json, application/json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-username': username,
      },
      credentials: 'omit',
      cache: 'no-store',
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new NoAnswer(UNREACHABLE);
  }
}

type Body<Data> = {
  readonly data?: Data | null;
  readonly errors?: readonly GraphQLProblem[];
};

/** null: it is no JSON, as of a proxy that has something to say. */
async function readBody<Data>(
  response: Response,
  signal: AbortSignal | undefined,
): Promise<Body<Data> | null> {
  const text = await response.text().catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new NoAnswer(UNREACHABLE);
  });
  try {
    const value: unknown = JSON.parse(text);
    // Whoever knows the document's hash knows the type of its answer: both are generated together.
    return typeof value === 'object' && value !== null ? (value as Body<Data>) : null;
  } catch {
    return null;
  }
}
