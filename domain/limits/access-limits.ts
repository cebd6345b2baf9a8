/** Limits of sessions, tokens and saved views, each with its reason. */
export const ACCESS_LIMITS = {
  /** How long a session lasts. */
  sessionHours: 12,
  /** A year. */
  sessionHoursCeiling: 8_784,
  /** How long a session lasts whose user asked to stay signed in. */
  stayDays: 30,
  /** The newest sessions of a user that go on: more than anybody has browsers. */
  sessionsPerUser: 100,
  /** Groups of a person that count: several times what providers name. */
  groupsOfPerson: 1_000,
  /** How long somebody may take to sign in at an identity provider. */
  signInSeconds: 600,
  /** The address of a page to return to after that: the dashboard's, with all its choices. */
  returnCharacters: 2_000,
  /** How long a provider may take for each answer: somebody waits. */
  providerTimeoutSeconds: 5,
  /** How far the clock of a provider may differ. */
  clockToleranceSeconds: 30,
  /** OpenID Connect: a subject has at most 255 characters. */
  subjectCharacters: 255,
  /** The longest body of a sign-in: a name and a token. */
  signInBytes: 16_384,
  /** Characters of a token that somebody chooses, at least: shorter ones are guessed too easily. */
  chosenTokenLength: 20,
  /** Chosen tokens whose proof is remembered: 200 bytes each. */
  rememberedTokens: 1_000,
  /** Chosen tokens that are tried at once, each with 32 MB: half of the threads of Node's pool. */
  scryptsAtOnce: 2,
  /** Requests from one network that wait for that; the networks have their turns one by one. */
  waitingScrypts: 10,
  /** Networks that wait for that, each at most ten seconds for its next turn. */
  waitingScryptCallers: 200,
  /** Tokens of a user that have not expired: one for each program of a large collection. */
  tokensPerUser: 50,
  /**
   * Networks, probes or groups of one grant: they are read with each request of the user, as some
   * 20 KB.
   */
  grantLimitItems: 1000,
  /** Characters of a token's name. */
  tokenNameCharacters: 100,
  /** The longest overlap of a former token with its successor: nobody forgets it for longer. */
  tokenOverlapDays: 30,
  /** The longest span until a token expires that is given in days: a century. */
  tokenDays: 36_500,
  /** How long an expired token is listed, at least; the next new one of its user removes it. */
  expiredTokenDays: 7,
  /** How often the last uses of tokens are written. */
  tokenUsesEveryMs: 60_000,
  /** Saved views of a user in a context: more than anybody finds again in a menu. */
  viewsPerUser: 100,
  /** Views of a context that are listed, those of the caller first: a menu of several screens. */
  listedViews: 500,
  /** Characters of the name of a view: a line of the menu. */
  viewNameCharacters: 100,
  /** Characters of the address of a view: a long filter and some hundred hidden keys. */
  viewAddressCharacters: 8_000,
} as const;
