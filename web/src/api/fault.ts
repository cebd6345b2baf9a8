/** Why there is no answer at all, or none for a part. */
export type Fault = {
  readonly kind: FaultKind;
  /** In the server's words, if it gave any. */
  readonly message: string;
  /** Seconds after which it may be retried. */
  readonly retrySeconds: number | null;
  /** Identifies the request in the server's log. */
  readonly requestId: string | null;
};

export type FaultKind =
  | 'unauthenticated'
  | 'locked'
  | 'busy'
  | 'unreachable'
  | 'timeout'
  | 'backend'
  | 'limit'
  | 'input'
  | 'outdated'
  | 'broken'
  | 'page';

/** The codes of docs/reference/errors.md. */
const KINDS: Readonly<Record<string, FaultKind>> = {
  UNAUTHENTICATED: 'unauthenticated',
  BUSY: 'busy',
  TIMEOUT: 'timeout',
  BACKEND: 'backend',
  LIMIT: 'limit',
  BAD_USER_INPUT: 'input',
  FORBIDDEN: 'outdated',
  NOT_FOUND: 'input',
  PERSISTED_QUERY_NOT_FOUND: 'outdated',
};

export class NoAnswer extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.name = 'NoAnswer';
    this.fault = fault;
  }
}

export type GraphQLProblem = {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string };
};

export const faultOfProblem = (
  problem: GraphQLProblem,
  requestId: string | null = null,
): Fault => ({
  kind: KINDS[problem.extensions?.code ?? ''] ?? 'broken',
  message: problem.message,
  retrySeconds: null,
  requestId,
});

export const UNREACHABLE: Fault = {
  kind: 'unreachable',
  message: 'The server cannot be reached',
  retrySeconds: null,
  requestId: null,
};

/** Returns why a request failed. An error other than `NoAnswer` is a mistake in the page. */
export function faultOf(error: unknown): Fault {
  if (error instanceof NoAnswer) return error.fault;
  // With its stack, for those who look for the mistake.
  console.error(error);
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: 'page',
    message: `The page has an error: ${reason}`,
    retrySeconds: null,
    requestId: null,
  };
}

/** Makes the fault for a response whose status is not 200, or that is not GraphQL. */
export function faultOfResponse(
  response: Pick<Response, 'status' | 'headers'>,
  problem: GraphQLProblem | null,
): Fault {
  const seconds = Number(response.headers.get('retry-after'));
  const known = problem ? faultOfProblem(problem) : null;
  return {
    kind: KINDS_OF_STATUS[response.status] ?? known?.kind ?? 'broken',
    message: known?.message ?? `The server answered with status ${response.status}`,
    retrySeconds: seconds > 0 ? Math.ceil(seconds) : null,
    requestId: response.headers.get('x-request-id'),
  };
}

const KINDS_OF_STATUS: Readonly<Record<number, FaultKind>> = {
  401: 'unauthenticated',
  429: 'locked',
  502: 'unreachable',
  503: 'busy',
  504: 'unreachable',
};
