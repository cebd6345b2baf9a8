import type { ExecutionResult } from 'graphql';
import { type FetchAPI, processRegularResult } from 'graphql-yoga';
import { ERRORS, serviceError } from '../../domain/errors.ts';
import { joinPieces, type Piece } from '../../domain/text/long-text.ts';
import type { AnonymousScope } from '../../resolvers/request-scope.ts';
import type { Answer } from '../http/http-exchange.ts';
import type { OperationResult } from './run-operation.ts';

export type MediaType = 'application/json' | 'application/graphql-response+json';

type Extensions = Readonly<Record<string, unknown>> | undefined;

/** Renders a result as an answer. Yoga's own renderer decides its status and headers. */
export function renderResult(
  result: OperationResult,
  mediaType: MediaType,
  extensions?: Extensions,
): Answer {
  const { status, headers } = renderByYoga(placeholderOf(result), mediaType);
  return { status, headers, body: bodyOf(result, extensions) };
}

/** Returns the result without its data, which may be large, for code that only looks at errors. */
export const placeholderOf = ({ data, errors }: OperationResult): ExecutionResult => ({
  ...(errors.length > 0 && { errors }),
  ...(data !== null && { data: null }),
});

/** Renders a result as JSON, without the HTTP extensions of its errors. */
export function bodyOf({ data, errors }: OperationResult, extensions?: Extensions): Piece {
  const members: Piece[] = [];
  if (errors.length > 0) members.push(membersOf({ errors }));
  if (data !== null) members.push(joinPieces(['"data":', data]));
  if (extensions) members.push(membersOf({ extensions }));
  return joinPieces(['{', joinPieces(members, ','), '}']);
}

/** Returns the members of a JSON object, without its braces. */
const membersOf = (result: ExecutionResult): string =>
  renderByYoga(result, 'application/json').body.slice(1, -1);

type PlainAnswer = Omit<Answer, 'body'> & { readonly body: string };

function renderByYoga(result: ExecutionResult, mediaType: MediaType): PlainAnswer {
  const response: unknown = processRegularResult(result, PLAIN_RESPONSES, mediaType);
  if (!(response instanceof PlainResponse)) throw new Error('Yoga renders in another way by now');
  const { body, init } = response;
  const headers = Object.fromEntries(
    Object.entries(init.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { status: init.status, headers, body };
}

/** Keeps what Yoga's renderer passes to `new Response`, the only way in which it uses the class. */
class PlainResponse {
  readonly body: string;
  readonly init: { readonly status: number; readonly headers: Readonly<Record<string, string>> };

  constructor(body: string, init: PlainResponse['init']) {
    this.body = body;
    this.init = init;
  }
}

// The text of `fetch`'s own Response could only be read back as a stream.
const PLAIN_RESPONSES = { Response: PlainResponse } as unknown as FetchAPI;

const GOOD_ANSWERS = {
  'application/json': renderByYoga({ data: null }, 'application/json'),
  'application/graphql-response+json': renderByYoga(
    { data: null },
    'application/graphql-response+json',
  ),
} satisfies Record<MediaType, Answer>;

/** Returns an answer without errors whose body is rendered already. */
export function goodAnswer(body: Answer['body'], mediaType: MediaType): Answer {
  const { status, headers } = GOOD_ANSWERS[mediaType];
  return { status, headers, body };
}

/**
 * Returns the extensions of an answer: which blocks its toppers were added up from, if the request
 * has `"extensions": { "plan": true }`.
 */
export const plansOf = (
  requested: Readonly<Record<string, unknown>> | null | undefined,
  { reads }: AnonymousScope,
): { readonly plan: unknown } | undefined =>
  requested?.['plan'] === true ? { plan: reads.ownPlans } : undefined;

/** Adds a body to the bare status that Yoga sends to a caller who accepts none of its types. */
export function explainRefusal(answer: Answer): Answer {
  if (answer.body.length > 0 || answer.status !== ERRORS.notAcceptable.status) return answer;
  const { message, code } = serviceError('notAcceptable');
  return {
    status: answer.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
  };
}
