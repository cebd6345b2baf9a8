import type { ServiceError } from '../../domain/errors.ts';

/** Guards the step from a claim to an identity: counts failures, and takes permits. */
export type LogInGate = {
  /** Called before anything is looked up. Error: `tooManyFailures`. */
  check(username: string): void;
  /**
   * Called if the token is wrong or the user unknown. Returns the error to throw: `invalidToken` or
   * `tooManyFailures`.
   */
  failed(username: string): ServiceError;
  /** Called if the token is right. Errors: `busy`; `tooManyFailures` if others failed meanwhile. */
  proved(username: string): void;
};
