import type { ServiceError } from '../../domain/errors.ts';

/** Which node looked the user up. */
type Authority = 'primary' | 'stand-in';

/** Guards the step from a claim to an identity: counts failures, and takes permits. */
export type LogInGate = {
  /** Called before anything is looked up. Error: `tooManyFailures`. */
  check(username: string): void;
  /**
   * Called if the token is wrong or the user unknown according to the primary, or, while it cannot
   * be reached, according to stand-ins, which may lag behind. Returns the error to throw.
   */
  failed(username: string, by: Authority): ServiceError;
  /**
   * Called if the token is right. Errors: `busy`; `tooManyFailures` if others failed meanwhile. The
   * word of a stand-in does not make up for failures: it may be right only there.
   */
  proved(username: string, by: Authority): void;
};
