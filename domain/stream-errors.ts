/** The rows of the table of errors (errors.ts) that only subscriptions can get. */
export const STREAM_ERRORS = {
  streamNotAccepted: {
    status: 406,
    code: 'BAD_USER_INPUT',
    message: 'A subscription is answered with server-sent events, accept text/event-stream',
    when: 'a GraphQL subscription accepts only other types',
  },
  alertsMissed: {
    status: 503,
    code: 'BACKEND',
    message: 'This stream may miss alerts that have begun or ended, subscribe again',
    when: 'a failover or a restored backup loses commits, or a group with firing alerts is disabled, while a stream of `alertEvents` is open; a new subscription starts with what is firing',
  },
  tooFarBehind: {
    status: 503,
    code: 'BUSY',
    message:
      'More than <limit> alerts have begun or ended since the last one that you read, subscribe again',
    when: 'the reader of a stream of `alertEvents` is too slow; a new subscription starts with what is firing',
  },
  tooManyStreams: {
    status: 429,
    code: 'LIMIT',
    message:
      'User <username> must have at most <limit> open subscriptions, close another one first',
    when: 'the user already has the maximum number of open subscriptions',
  },
} as const;
