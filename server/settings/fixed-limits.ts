import { LIMITS } from '../../domain/limits.ts';

/**
 * Limits of one server that are constants rather than settings. They are kept next to the settings
 * so that tests can lower them.
 */
export type FixedLimits = {
  /** Maximum number of ranks in one list of percentiles. */
  maxPercentileRanks: number;
  /** Maximum number of tasks that wait for a worker thread; more are refused with 503. */
  workerQueue: number;
  /** Number of requests for a GraphQL document before it is compiled; 0: never compiled. */
  compileAfter: number;
  /** How long a request may wait in the queue before work on it starts, in milliseconds. */
  maxWaitMs: number;
  /** Failed log-ins after which a user is refused at the address that the log-ins came from. */
  loginFailures: number;
  /** Failed log-ins after which an address is refused. */
  loginFailuresPerAddress: number;
  /** Length of the window over which failed log-ins are counted. */
  loginFailureSeconds: number;
  /** Maximum number of open subscriptions. */
  maxStreams: number;
  /** Maximum number of open subscriptions of one user. */
  maxStreamsPerUser: number;
  /** How long the request line and the headers may take to arrive. */
  headersSeconds: number;
  /** How long a request may take to arrive, and how long a caller may read none of a response. */
  slowCallerSeconds: number;
  /** Maximum bytes of a request's body. */
  restBodyBytes: number;
  graphqlBodyBytes: number;
  /** Maximum number of values in the answer to one operation, and of callers not signed in. */
  answerValues: number;
  answerValuesSignedOut: number;
  /** Maximum bytes of answers that readers have not taken, of all and of those at one address. */
  unreadBytes: number;
  unreadBytesPerAddress: number;
  /** How long a reader may take nothing while there are more. */
  stuckReaderMs: number;
};

export const FIXED_LIMITS: FixedLimits = {
  maxPercentileRanks: LIMITS.percentileRanks,
  workerQueue: LIMITS.workerQueue,
  compileAfter: LIMITS.compileAfter,
  maxWaitMs: LIMITS.startWaitMs,
  loginFailures: LIMITS.loginFailures,
  loginFailuresPerAddress: LIMITS.loginFailuresPerAddress,
  loginFailureSeconds: LIMITS.loginFailureSeconds,
  maxStreams: LIMITS.streams,
  maxStreamsPerUser: LIMITS.streamsPerUser,
  headersSeconds: LIMITS.headersSeconds,
  slowCallerSeconds: LIMITS.slowCallerSeconds,
  restBodyBytes: LIMITS.restBodyBytes,
  graphqlBodyBytes: LIMITS.graphqlBodyBytes,
  answerValues: LIMITS.answerValues,
  answerValuesSignedOut: LIMITS.answerValuesSignedOut,
  unreadBytes: LIMITS.unreadBytes,
  unreadBytesPerAddress: LIMITS.unreadBytesPerAddress,
  stuckReaderMs: LIMITS.stuckReaderMs,
};

/** Limits of a GraphQL operation, except for its cost, which is a setting. */
export const FIXED_GRAPHQL_LIMITS = {
  tokens: LIMITS.graphqlTokens,
  depth: LIMITS.graphqlDepth,
  aliases: LIMITS.graphqlAliases,
  rootFields: LIMITS.graphqlRootFields,
  directives: LIMITS.graphqlDirectives,
  nodeIds: LIMITS.graphqlNodeIds,
};
