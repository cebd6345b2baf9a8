import { LRUCache } from 'lru-cache';
import { callerNetwork, isLoopback } from '../../domain/caller-network.ts';
import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { LogInGate } from '../../resolvers/log-in-gate.ts';
import type { Settings } from '../settings/settings.ts';
import { Admission, type Crowd, type Fullness, type Place } from './admission.ts';
import { CrowdLimit } from './crowd-limit.ts';
import { LogInFailures, logInLimits } from './log-in-failures.ts';
import { LoopTurns } from './loop-turns.ts';

/** One request at the door. */
export type Visit = LogInGate & {
  /** Before any work, once or again: whether there is room, which it takes. */
  admits(): boolean;
  /** The same. Error: `busy`. */
  enter(): void;
  /**
   * Before it is begun: when its turn has come. undefined: it may go on at once. Error: `busy`, when
   * a crowd was noticed meanwhile. Those who wait longest are refused: the others get answers soon.
   */
  arrived(): Promise<void> | undefined;
  /** When the work is over, whatever came of it: how long the caller reads is its own affair. */
  leave(): void;
  /** There was no room. */
  readonly isRefused: boolean;
};

type DoorSettings = Pick<
  Settings,
  | ('maxConcurrent' | 'maxConcurrentPerUser' | 'maxWaitMs')
  | ('logInFailures' | 'logInFailuresPerAddress' | 'logInFailureSeconds')
>;

/** Who may come in, and how many at once. */
export class Door {
  readonly admission: Admission;
  readonly #failures: LogInFailures;
  readonly #turns = new LoopTurns();
  /** By address: most come again and again, and an address takes a while to read. */
  readonly #callers = new LRUCache<string, Caller>({ max: LIMITS.knownCallers });

  /** Takes why there was no room, whenever there was none. */
  onRefusal: (why: Fullness) => void = () => undefined;

  /** Called once the server is closed. */
  onClose: () => void = () => undefined;

  constructor(
    settings: DoorSettings,
    failures: LogInFailures = new LogInFailures(logInLimits(settings)),
    crowd: Crowd = new CrowdLimit({ most: settings.maxConcurrent, waitMs: settings.maxWaitMs }),
  ) {
    const limits = { total: settings.maxConcurrent, share: settings.maxConcurrentPerUser };
    this.admission = new Admission(limits, crowd);
    this.#failures = failures;
  }

  /**
   * address: the real one, also behind a proxy. Nobody is refused for failures from this machine:
   * who is there has other ways, and a proxy there that is not declared brings strangers along, who
   * must not lock users out.
   */
  visit(address: string | undefined): Visit {
    const { caller, isLocal } = this.#callerAt(address);
    const failures = isLocal ? null : this.#failures;
    let place: Place | null = null;
    let isRefused = false;
    const isCrowded = () => this.#isCrowded;
    const noteRefusal = (why: Fullness): void => {
      isRefused = true;
      this.onRefusal(why);
    };
    const refuse = (why: Fullness): never => {
      noteRefusal(why);
      throw serviceError('busy');
    };
    const admits = (): boolean => {
      if (place !== null) return true;
      const entered = this.admission.enter(caller);
      if (typeof entered === 'string') noteRefusal(entered);
      else place = entered;
      return place !== null;
    };
    const turn = (stage: 'arrived' | 'begun') =>
      this.#turn(stage)?.then(() => {
        const full = place?.goOn() ?? null;
        if (full !== null) refuse(full);
      });
    const refusal = (username: string): ServiceError | null => {
      const seconds = failures?.waitSeconds(caller, username) ?? 0;
      return seconds > 0 ? tooManyFailures(seconds) : null;
    };
    const check = (username: string): void => {
      const refused = refusal(username);
      if (refused) throw refused;
    };
    return {
      admits,
      enter() {
        if (!admits()) throw serviceError('busy');
      },
      leave: () => place?.leave(),
      get isRefused() {
        return isRefused;
      },
      check,
      failed(username) {
        // Of many guesses at once, no more than the limit are told that they were wrong …
        const refused = refusal(username);
        if (refused) return refused;
        failures?.fail(caller, username);
        return serviceError('invalidToken');
      },
      proved(username) {
        // … and none of the others that it was right.
        check(username);
        failures?.succeed(caller, username);
        const full = place?.take(username) ?? null;
        if (full !== null) refuse(full);
      },
      get isCrowded() {
        return isCrowded();
      },
      arrived: () => turn('arrived'),
      turn: () => turn('begun'),
    };
  }

  get #isCrowded(): boolean {
    return this.admission.active > LIMITS.crowdLeast;
  }

  /** A connection was accepted. */
  accepted(): void {
    this.#turns.accepted();
  }

  #turn(stage: 'arrived' | 'begun'): Promise<void> | undefined {
    return this.#isCrowded ? this.#turns.take(stage) : undefined;
  }

  #callerAt(address: string | undefined): Caller {
    const known = this.#callers.get(address ?? '');
    if (known) return known;
    const caller = { caller: callerNetwork(address), isLocal: isLoopback(address) };
    this.#callers.set(address ?? '', caller);
    return caller;
  }
}

/** isLocal: on this machine. */
type Caller = { readonly caller: string; readonly isLocal: boolean };

const tooManyFailures = (seconds: number): ServiceError =>
  serviceError('tooManyFailures', { seconds }, { retryAfterSeconds: seconds });
