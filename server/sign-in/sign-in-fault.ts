/** Why nobody is signed in, and what the page says about it. */
export const SIGN_IN_FAULTS = {
  stale: {
    status: 400,
    text: 'This sign-in was not begun in this browser, took too long, or is over already. Start again.',
  },
  denied: { status: 403, text: '<provider> did not let you sign in here, or you cancelled it.' },
  refused: {
    status: 502,
    text: '<provider> refused the request. The log of this server says why.',
  },
  invalid: {
    status: 502,
    text: 'The answer of <provider> is not valid, so it was not believed. The log of this server says why.',
  },
  claims: {
    status: 502,
    text: '<provider> did not say who you are. The log of this server says what is missing.',
  },
  secret: {
    status: 500,
    text: 'This server cannot read its own secret for <provider>. Its log says why.',
  },
  away: {
    status: 503,
    text: '<provider> does not answer. Try again in a moment, or sign in with a token.',
  },
} as const;

export type SignInFaultKind = keyof typeof SIGN_IN_FAULTS;

/** A sign-in at the provider failed. The message is for the log: it holds no secret. */
export class SignInFault extends Error {
  readonly kind: SignInFaultKind;

  constructor(kind: SignInFaultKind, why: string) {
    super(why);
    this.name = 'SignInFault';
    this.kind = kind;
  }
}
