import type { ServiceError } from '../../domain/errors.ts';

/**
 * Where a user is looked up: on the primary, or, while it cannot be reached, on a node that stands
 * in for it. The two are counted separately: a stand-in may lag behind, so its refusals must not
 * lock a user out of the primary.
 */
export type LoginNode = 'primary' | 'stand-in';

/** Guards the step from a claim to an identity: counts failures, and takes permits. */
export type LoginThrottle = {
  /** The network that the claim comes from. */
  readonly caller: string;
  /** Called before the user is looked up there. Error: `tooManyFailures`. */
  check(username: string, at: LoginNode): void;
  /** Called if the token is wrong or the user unknown there. Returns the error to throw. */
  failed(username: string, at: LoginNode): ServiceError;
  /**
   * Called if the token is right there. Errors: `busy`; `tooManyFailures` if others failed
   * meanwhile. Only the primary's word ends the count of failures: a stand-in may be another
   * database by mistake.
   */
  proved(username: string, at: LoginNode): void;
};
