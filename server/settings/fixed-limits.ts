import { LIMITS } from '../../domain/limits.ts';

/**
 * Limits of one server that are constants and no settings. They are beside the settings so that
 * tests can lower them.
 */
export type FixedLimits = {
  /** Ranks in one list of percentiles. */
  maxPercentileRanks: number;
  /** Tasks that may wait for a thread; more are refused with 503. */
  workerQueue: number;
  /** How often a GraphQL document is asked for before it is compiled; 0: never is. */
  compileAfter: number;
  /** How long a request may wait until it is begun, in milliseconds. */
  maxWaitMs: number;
  /** Failed log-ins after which a user is refused at the address they came from. */
  logInFailures: number;
  /** Failed log-ins after which an address is refused. */
  logInFailuresPerAddress: number;
  /** Over which failed log-ins are counted. */
  logInFailureSeconds: number;
  /** Open subscriptions. */
  maxStreams: number;
  /** Of these, of one user. */
  maxStreamsPerUser: number;
  /** How long the line and the headers of a request may take to arrive. */
  headersSeconds: number;
  /** How long a request may take to arrive, and a caller may take nothing of an answer. */
  slowCallerSeconds: number;
  /** Bytes of a request's body. */
  restBodyBytes: number;
  graphqlBodyBytes: number;
  /** Values of keys, series and percentiles in the answer to one request. */
  answerValues: number;
};

export const FIXED_LIMITS: FixedLimits = {
  maxPercentileRanks: LIMITS.percentileRanks,
  workerQueue: LIMITS.workerQueue,
  compileAfter: LIMITS.compileAfter,
  maxWaitMs: LIMITS.startWaitMs,
  logInFailures: LIMITS.logInFailures,
  logInFailuresPerAddress: LIMITS.logInFailuresPerAddress,
  logInFailureSeconds: LIMITS.logInFailureSeconds,
  maxStreams: LIMITS.streams,
  maxStreamsPerUser: LIMITS.streamsPerUser,
  headersSeconds: LIMITS.headersSeconds,
  slowCallerSeconds: LIMITS.slowCallerSeconds,
  restBodyBytes: LIMITS.restBodyBytes,
  graphqlBodyBytes: LIMITS.graphqlBodyBytes,
  answerValues: LIMITS.answerValues,
};

/** What a GraphQL operation may hold, but for its cost, which is a setting. */
export const FIXED_GRAPHQL_LIMITS = {
  tokens: LIMITS.graphqlTokens,
  depth: LIMITS.graphqlDepth,
  aliases: LIMITS.graphqlAliases,
  rootFields: LIMITS.graphqlRootFields,
  directives: LIMITS.graphqlDirectives,
  nodeIds: LIMITS.graphqlNodeIds,
};
