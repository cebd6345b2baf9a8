import { ALERT_ERRORS } from './alert-errors.ts';
import { STREAM_ERRORS } from './stream-errors.ts';
import { UPLOAD_ERRORS } from './upload-errors.ts';

/** The codes that GraphQL returns in `extensions.code` (decisions, section 9). */
export type GraphQLErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'NOT_FOUND'
  | 'TIMEOUT'
  | 'BACKEND'
  | 'BUSY'
  | 'LIMIT'
  | 'PERSISTED_QUERY_NOT_FOUND';

type ErrorRow = {
  readonly status: number;
  readonly code: GraphQLErrorCode;
  /** The message template; `<…>` stands for a value of the request. */
  readonly message: string;
  readonly when: string;
};

/**
 * The table of all errors that callers can see. REST and GraphQL render errors from it,
 * docs/reference/errors.md and the OpenAPI document repeat it, and tests compare them. Any other
 * error is a bug: the caller sees it as `internal`, and the log has its cause.
 */
export const ERRORS = {
  invalidToken: {
    status: 401,
    code: 'UNAUTHENTICATED',
    message: 'Invalid API token',
    when: 'the token or the username is missing or wrong',
  },
  tooManyFailures: {
    status: 429,
    code: 'LIMIT',
    message: 'Too many failed log-ins, try again in <seconds> seconds',
    when: 'too many log-ins of this user from this address, or of all users from this address, have failed; `Retry-After` says when to try again',
  },
  contextRequired: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'context is required',
    when: '`context` is missing',
  },
  invalidContext: {
    status: 422,
    code: 'NOT_FOUND',
    message: 'Invalid context name - <context>',
    when: 'no context has that name',
  },
  notAllowed: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'User <username> is not allowed to access context <context>',
    when: 'the user has no grant for the context',
  },
  notEditor: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'User <username> needs the role editor to change context <context>',
    when: 'a GraphQL mutation or a file is sent by a user whose grant for the context has the role `reader`',
  },
  notAdmin: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'User <username> is not an administrator',
    when: 'a field or mutation of GraphQL that is for administrators is asked for by somebody else',
  },
  refusedChange: {
    status: 422,
    code: 'BAD_USER_INPUT',
    message: 'The change cannot be made - <what is wrong>',
    when: 'a mutation of users, tokens or grants names what does not exist, what exists already, or a time in the past, or would lock out the administrator who sent it; a view is to be saved that the user may not share, or under a name that is taken, or there are too many',
  },
  counterGroupRequired: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'counter_group is required',
    when: '`counter_group` is missing on the topper endpoint',
  },
  malformedValue: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: '<parameter> must be <what it must be>, got <what was given>',
    when: 'a value has the wrong form or is out of range',
  },
  invalidWindow: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'Invalid time window - <what is wrong>',
    when: 'the time window is not valid',
  },
  invalidCounterGroup: {
    status: 422,
    code: 'BAD_USER_INPUT',
    message: 'Invalid counter group - <guid>',
    when: 'the value is not the GUID of an enabled group of the context; a name such as `Hosts` is not a GUID, the counter group info endpoint (GraphQL: `counterGroups`) lists the GUIDs',
  },
  invalidMeter: {
    status: 422,
    code: 'BAD_USER_INPUT',
    message: 'Invalid meter - <meter>',
    when: 'the group has no such meter, or its type cannot be ranked',
  },
  invalidProbe: {
    status: 422,
    code: 'BAD_USER_INPUT',
    message: 'Invalid probe - <probe_id>',
    when: 'the context has no such probe',
  },
  invalidNode: {
    status: 422,
    code: 'BAD_USER_INPUT',
    message: 'Invalid destination node - <destination_node>',
    when: 'the context has no node with that name',
  },
  noRecoveryNode: {
    status: 422,
    code: 'BAD_USER_INPUT',
    message: 'Context <context> has no disaster-recovery node',
    when: 'the disaster-recovery node was asked for and none is configured',
  },
  otherContext: {
    status: 500,
    code: 'BACKEND',
    message:
      'Node <node> has another context in place of <context>, correct its address or copy the primary again',
    when: 'the chosen node is not a copy of the primary: its address is wrong, or the primary was restored from an older backup',
  },
  unsupportedGraphQLType: {
    status: 415,
    code: 'BAD_USER_INPUT',
    message: 'Content type <type> is not supported, use application/json',
    when: 'a GraphQL or MCP request is posted with another content type, such as one that a form on any site could send',
  },
  otherSite: {
    status: 403,
    code: 'FORBIDDEN',
    message:
      'A page of another site must send a Bearer token or the header graphql-require-preflight',
    when: "a browser reports that another site made it send a request without preflight to GraphQL, or to REST with the browser's credentials",
  },
  sessionElsewhere: {
    status: 403,
    code: 'FORBIDDEN',
    message:
      "A session counts only in requests of this server's own pages, which Sec-Fetch-Site or Origin must say; other programs send a token",
    when: 'a request has the cookie of a session, and neither credentials nor headers that say that a page of this server sent it',
  },
  unknownOrigin: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'Pages of <origin> may not use MCP, COUNTERGRAPH_CORS_ORIGINS lists those that may',
    when: 'a browser sends an MCP message for a page whose origin is neither listed nor on its own machine',
  },
  mcpBatch: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'The request body must be one message, this version of the protocol has no batches',
    when: 'an MCP request is a list of messages',
  },
  noSuchPath: {
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is nothing at <path>',
    when: 'the service has nothing at this address',
  },
  methodNotAllowed: {
    status: 405,
    code: 'BAD_USER_INPUT',
    message: 'Method <method> is not allowed, use <methods>',
    when: 'a REST endpoint is called with a method other than GET, HEAD and POST, `/metrics/toppers` with one other than GET and HEAD, or MCP with one other than POST',
  },
  notAcceptable: {
    status: 406,
    code: 'BAD_USER_INPUT',
    message: 'The answer has none of the accepted types, accept application/json',
    when: 'a GraphQL request accepts only types that its answer cannot have',
  },
  ...STREAM_ERRORS,
  ...ALERT_ERRORS,
  unreadableBody: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'The request body could not be read - <what is wrong>',
    when: 'a body does not parse, a JSON body is not an object, or a gzip body is damaged',
  },
  bodyTooLarge: {
    status: 413,
    code: 'LIMIT',
    message: 'The request body must be at most <limit> bytes',
    when: 'a body is over the limit, decompressed if it is gzip',
  },
  unsupportedEncoding: {
    status: 415,
    code: 'BAD_USER_INPUT',
    message: 'Content encoding <encoding> is not supported, send the body as it is or as gzip',
    when: 'a body has another `Content-Encoding`, or several',
  },
  unsupportedMediaType: {
    status: 415,
    code: 'BAD_USER_INPUT',
    message:
      'Content type <type> is not supported, use application/x-www-form-urlencoded, multipart/form-data or application/json',
    when: 'a body has another content type',
  },
  notHttp: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'The request must be HTTP/1.1, and could not be parsed as such',
    when: 'data on a connection cannot be parsed; the connection is closed',
  },
  severalHosts: {
    status: 400,
    code: 'BAD_USER_INPUT',
    message: 'The request must have one Host header, got <how many>',
    when: 'a request has several `Host` headers, even with the same value',
  },
  headersTooLarge: {
    status: 431,
    code: 'LIMIT',
    message: 'The address and headers must be at most <limit> bytes, send long parameters by POST',
    when: 'the head of a request is over the limit; the connection is closed',
  },
  tooSlow: {
    status: 408,
    code: 'TIMEOUT',
    message: 'The <headers or request> must arrive within <seconds> seconds',
    when: 'it took longer; the connection is closed',
  },
  timeout: {
    status: 500,
    code: 'TIMEOUT',
    message: 'Query timed out after <seconds> seconds',
    when: 'the request took longer than its time limit; what it was waiting for was cancelled',
  },
  unreachable: {
    status: 500,
    code: 'BACKEND',
    message: 'Database is not reachable',
    when: 'the connection to the chosen node cannot be opened, or was lost; `Retry-After` says when to try again',
  },
  readOnly: {
    status: 500,
    code: 'BACKEND',
    message: 'Database is read-only, its primary accepts changes',
    when: 'a GraphQL mutation reaches a server whose primary node has become a standby, or is set to read-only',
  },
  conflict: {
    status: 500,
    code: 'BACKEND',
    message: 'The standby cancelled the query to keep up with its primary, try again',
    when: 'a recovery conflict ended the query twice',
  },
  notGrantedThere: {
    status: 500,
    code: 'BACKEND',
    message:
      'Node <node> does not know that you may read <context>, wait until it has caught up or the primary can be reached',
    when: 'the primary cannot be reached, and the chosen node has not yet replayed the addition of the user, the token or the grant, or refuses a token that was replaced or removed',
  },
  nodeBehind: {
    status: 500,
    code: 'BACKEND',
    message:
      'The node lacks tables or columns, wait until it has replayed the migration of its primary',
    when: 'the chosen node is not a copy of the primary, or is a copy from before `migrate` ran',
  },
  nodeRights: {
    status: 500,
    code: 'BACKEND',
    message: "The role in the node's address may not read its tables, grant it the right to",
    when: 'the chosen node refuses to show a table, or the database, to the role in its address',
  },
  busy: {
    status: 503,
    code: 'BUSY',
    message: 'Server is busy',
    when: 'the server is overloaded; `Retry-After` says when to try again',
  },
  persistedQueryNotFound: {
    status: 200,
    code: 'PERSISTED_QUERY_NOT_FOUND',
    message: 'PersistedQueryNotFound',
    when: 'only the hash of a GraphQL document was sent, and it is not known: send the document too',
  },
  notTrusted: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'Only trusted documents are answered here, send the hash of one as documentId',
    when: 'a GraphQL document is not one of `--documents`, and `COUNTERGRAPH_TRUSTED_ONLY` is on',
  },
  limit: {
    status: 400,
    code: 'LIMIT',
    message: '<what> must be at most <limit>, got <what was given>',
    when: 'a GraphQL document, or what its answer would contain, is over a limit',
  },
  introspectionOff: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'Introspection is switched off on this server',
    when: 'a GraphQL query asks for `__schema` or `__type` and the server is set to refuse it',
  },
  ...UPLOAD_ERRORS,
  internal: {
    status: 500,
    code: 'BACKEND',
    message: 'Internal error, the log has the details under the x-request-id of this answer',
    when: 'a defect of the service; the details are in its log',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorKind = keyof typeof ERRORS;

export type ServiceErrorOptions = {
  cause?: unknown;
  retryAfterSeconds?: number;
  node?: string | undefined;
};

/** An error from the table, shown to the caller as it is. */
export class ServiceError extends Error {
  readonly kind: ErrorKind;
  /** For the `Retry-After` of the answer; null: a retry does not help. */
  readonly retryAfterSeconds: number | null;
  /** For the log: the node that failed. */
  readonly node: string | undefined;

  constructor(kind: ErrorKind, message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.name = 'ServiceError';
    this.kind = kind;
    const passes = kind === 'busy' || kind === 'unreachable';
    this.retryAfterSeconds = options.retryAfterSeconds ?? (passes ? 1 : null);
    this.node = options.node;
  }

  get status(): number {
    return ERRORS[this.kind].status;
  }

  get code(): GraphQLErrorCode {
    return ERRORS[this.kind].code;
  }
}

/** Returns the error of `kind`, with each `<…>` in its message filled in from `values`. */
export function serviceError(
  kind: ErrorKind,
  values: Readonly<Record<string, string | number>> = {},
  options?: ServiceErrorOptions,
): ServiceError {
  const message = ERRORS[kind].message.replaceAll(/<([^>]+)>/g, (shape, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : shape,
  );
  return new ServiceError(kind, message, options);
}

const SHOWN_LENGTH = 100;

/** Formats a given value for messages: quoted, and truncated if it is long. */
export const shown = (value: unknown): string =>
  shortened(typeof value === 'string' ? JSON.stringify(value) : String(value));

/** Truncates a caller's text for messages if it is long. */
export const shortened = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;

/** `<name> must be <must>, got <given>` (decision 2). */
export const malformed = (name: string, must: string, given: unknown): ServiceError =>
  new ServiceError('malformedValue', `${name} must be ${must}, got ${shown(given)}`);

export const invalidWindow = (wrong: string): ServiceError =>
  new ServiceError('invalidWindow', `Invalid time window - ${wrong}`);
