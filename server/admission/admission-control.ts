import { LRUCache } from 'lru-cache';
import { callerNetwork, isLoopback } from '../../domain/callers/caller-network.ts';
import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { LoginNode, LoginThrottle } from '../../resolvers/callers/login-throttle.ts';
import type { Settings } from '../settings/settings.ts';
import { Admission, type Permit, type Refusal } from './admission.ts';
import { LoginFailures, loginLimits } from './login-failures.ts';
import { StartQueue } from './start-queue.ts';

/** One request in admission. */
export type RequestAdmission = LoginThrottle & {
  /** What counts as one caller: an address, or a network of IPv6. */
  readonly caller: string;
  /** Takes a permit if it can; returns whether the request has one. May be called again. */
  admits(): boolean;
  /** The same as `admits`, but throws. Error: `busy`. */
  enter(): void;
  /**
   * Waits until the work on the request may start; undefined: immediately. Error: `busy` if it has
   * waited too long.
   */
  mayBegin(): Promise<void> | undefined;
  /** Releases the permit once the work is over. A caller that reads slowly holds no permit. */
  leave(): void;
  /** Whether the request was refused for lack of capacity. */
  readonly isRefused: boolean;
};

type AdmissionSettings = Pick<
  Settings,
  | ('maxConcurrent' | 'maxWaitMs')
  | ('loginFailures' | 'loginFailuresPerAddress' | 'loginFailureSeconds')
>;

/** Decides which requests are admitted, and how many at once. */
export class AdmissionControl {
  readonly admission: Admission;
  readonly #failures: LoginFailures;
  readonly #starts: StartQueue;
  /** Callers by address: most callers return, and parsing an address takes a while. */
  readonly #callers = new LRUCache<string, Caller>({ max: LIMITS.knownCallers });

  /** Called with the reason whenever a request is refused. */
  onRefusal: (why: Refusal) => void = () => undefined;

  /** Called whenever somebody fails to sign in. */
  onFailedSignIn: (username: string, address: string) => void = () => undefined;

  /** Called once the server is closed. */
  onClose: () => void = () => undefined;

  constructor(
    settings: AdmissionSettings,
    failures: LoginFailures = new LoginFailures(loginLimits(settings)),
  ) {
    this.admission = new Admission(settings.maxConcurrent);
    this.#starts = new StartQueue(settings.maxWaitMs);
    this.#failures = failures;
  }

  /**
   * Opens the admission of one request. address: the caller's own, also behind a trusted proxy.
   * Callers on this machine are never refused for failed log-ins: they have other ways in, and
   * strangers may come through an undeclared proxy there, who must not lock users out.
   */
  admit(address: string | undefined): RequestAdmission {
    const { caller, isLocal } = this.#callerAt(address);
    const failures = isLocal ? null : this.#failures;
    let permit: Permit | null = null;
    let isRefused = false;
    const busy = (why: Refusal): ServiceError => {
      isRefused = true;
      this.#starts.noteRefusal();
      this.onRefusal(why);
      return serviceError('busy');
    };
    const admits = (): boolean => {
      if (permit !== null) return true;
      const entered = this.#isQueueFullFor(caller) ? 'wait' : this.admission.enter(caller);
      if (typeof entered === 'string') busy(entered);
      else permit = entered;
      return permit !== null;
    };
    const counted = (at: LoginNode): string => (at === 'primary' ? caller : `${caller}\0${at}`);
    const refusal = (username: string, at: LoginNode): ServiceError | null => {
      const seconds = failures?.waitSeconds(counted(at), username, caller) ?? 0;
      return seconds > 0 ? tooManyFailures(seconds) : null;
    };
    const notify = (username: string, why: ServiceError): ServiceError => {
      this.onFailedSignIn(username, address ?? 'unknown');
      return why;
    };
    const check = (username: string, at: LoginNode): void => {
      const refused = refusal(username, at);
      if (refused) throw notify(username, refused);
    };
    return {
      caller,
      admits,
      enter() {
        if (!admits()) throw serviceError('busy');
      },
      mayBegin: () => this.#starts.wait(() => busy('wait')),
      leave: () => permit?.leave(),
      get isRefused() {
        return isRefused;
      },
      check,
      failed(username, at) {
        // Of many concurrent guesses, no more than the limit learn that they were wrong …
        const refused = refusal(username, at);
        if (!refused) failures?.fail(counted(at), username);
        return notify(username, refused ?? serviceError('invalidToken'));
      },
      proved(username, at) {
        // … and none of the others learns that it was right.
        check(username, at);
        if (at === 'primary') failures?.succeed(caller, username);
        const why = permit?.countFor(username) ?? null;
        if (why !== null) throw busy(why);
      },
    };
  }

  /** A caller without requests in progress is admitted anyway: others keep the server busy. */
  #isQueueFullFor(caller: string): boolean {
    return this.#starts.isFull && this.admission.hasAny(caller);
  }

  #callerAt(address: string | undefined): Caller {
    const known = this.#callers.get(address ?? '');
    if (known) return known;
    const caller = { caller: callerNetwork(address), isLocal: isLoopback(address) };
    this.#callers.set(address ?? '', caller);
    return caller;
  }
}

/** isLocal: whether the caller is on this machine. */
type Caller = { readonly caller: string; readonly isLocal: boolean };

const tooManyFailures = (seconds: number): ServiceError =>
  serviceError('tooManyFailures', { seconds }, { retryAfterSeconds: seconds });
