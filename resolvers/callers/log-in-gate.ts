import type { ServiceError } from '../../domain/errors.ts';

/** What stands between a claim and an identity: failures are counted there, shares are taken. */
export type LogInGate = {
  /** Before anything is looked up. Error: `tooManyFailures`. */
  check(username: string): void;
  /** The token is wrong, or the user unknown: what to throw, `invalidToken` or `tooManyFailures`. */
  failed(username: string): ServiceError;
  /** The token is right. Errors: `busy`; `tooManyFailures` where others failed meanwhile. */
  proved(username: string): void;
};
