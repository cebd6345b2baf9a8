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

export type Asked = { readonly session: Session; readonly signal?: AbortSignal };

/**
 * Asks the server by the document's hash. Errors: `NoAnswer`; an `AbortError` when the signal says so.
 */
export async function ask<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  asked: Asked,
): Promise<Answer<Data>> {
  const question: Question = { operation, variables, accept: JSON_ANSWERS };
  const response = await send(question, asked);
  return readAnswer<Data>(response, asked.signal);
}

const JSON_ANSWERS = 'application/graphql-response+json, application/json';

/** An answer as JSON, or why there is none. Errors: as `ask`. */
export async function readAnswer<Data>(
  response: Response,
  signal: AbortSignal | undefined,
): Promise<Answer<Data>> {
  const body = await readBody<Data>(response, signal);
  const [first] = body?.errors ?? [];
  if (!response.ok || !body) throw new NoAnswer(faultOfResponse(response, first ?? null));
  return answerOf(body, response.headers.get('x-request-id'));
}

/** What a body in the GraphQL shape says. Errors: `NoAnswer`. */
export function answerOf<Data>(body: Body<Data>, requestId: string | null): Answer<Data> {
  const problems = body.errors ?? [];
  if (body.data) return { data: body.data, problems };
  const problem = problems[0] ?? { message: 'The answer has no data' };
  throw new NoAnswer(faultOfProblem(problem, requestId));
}

/** A header has no other letters (RFC 9110, 5.5), and so nobody who may ask has. */
const IN_A_HEADER = /^[\x20-\x7e\xa0-\xff]*$/;

const NOBODY: Fault = {
  kind: 'unauthenticated',
  message: 'Invalid API token',
  retrySeconds: null,
  requestId: null,
};

export type Question = {
  readonly operation: Operation<unknown, never>;
  readonly variables: unknown;
  /** The forms in which it may be answered. */
  readonly accept: string;
};

/** Errors: `NoAnswer`, if there is no response at all; an `AbortError` when the signal says so. */
export async function send(
  { operation, variables, accept }: Question,
  { session, signal }: Asked,
): Promise<Response> {
  const { username, token } = session;
  if (!IN_A_HEADER.test(username + token)) throw new NoAnswer(NOBODY);
  const { hash, name } = operation;
  try {
    return await fetch(new URL('graphql', document.baseURI), {
      method: 'POST',
      headers: {
        accept,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-username': username,
      },
      credentials: 'omit',
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
