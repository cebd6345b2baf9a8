import { performance } from 'node:perf_hooks';
import { LIMITS } from '../../domain/limits.ts';
import { Surge } from './surge.ts';

/** What the limit goes by; tests have a clock of their own. */
export type LoopClock = {
  /** Milliseconds since whenever. */
  now(): number;
  /** Of these, how many the event loop was at work, and did not wait for something to do. */
  busy(): number;
};

export type CrowdRules = {
  /** The limit while there is no crowd. */
  readonly most: number;
  /** Milliseconds that a request may have to wait for those before it; 0: there is no limit. */
  readonly waitMs: number;
};

const EVENT_LOOP: LoopClock = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
};

/** From this share of its time on, the loop has always something to do: what is more, waits. */
const ALWAYS_BUSY = 0.95;

/** Below it, whatever there was is over. */
const MOSTLY_IDLE = 0.5;

/** What the limit grows by, in each interval in which there is no crowd. */
const GROWTH = 1.2;

/** Over which the rate is averaged where it rises, as some requests take fifty times as long … */
const RISING_MS = 500;

/** … and where it falls: what came while the server was faster waits too long. */
const FALLING_MS = 150;

/**
 * How many requests may be worked on at once by a loop that cannot do all that is asked of it.
 *
 * A queue that empties again and again only evens out a burst, however long it is, and is left
 * alone; one that stands makes everybody wait and helps nobody (Nichols and Jacobson, Controlling
 * Queue Delay, ACM Queue 10/5, 2012; for servers: Maurer, Fail at Scale, ACM Queue 13/8, 2015).
 * A queue stands when for `crowdMs` the loop was never idle and there was always a request at work,
 * and more have come meanwhile than a dashboard asks for at once, however slowly. One that becomes
 * shorter, soon to be gone, is what a moment's standstill has left, and does not stand. It need not
 * stand for so long where there is no room for all who come, or where far more come than is usual
 * and more than there could be room for: a burst that was worth waiting for is over.
 *
 * From then on there is room for as many as get done in `waitMs`, by Little's law the time that
 * each takes; how many these are is measured, so that it fits any machine and any mix of requests.
 * What waits for a database or a thread leaves the loop idle, and is no crowd.
 */
export class CrowdLimit {
  readonly #rules: CrowdRules;
  readonly #clock: LoopClock;
  #limit: number;
  /** The interval that is looked at next: when it began, what there was, what became of it. */
  #since: number;
  #busyAt: number;
  #done = 0;
  #fewest = 0;
  #activeAt = 0;
  #wasFull = false;
  #standingMs = 0;
  /** Of these, in which there was no room for all, until now. */
  #fullMs = 0;
  readonly #surge = new Surge();
  /** Requests that have come since there was none at work, and in this interval. */
  #arrived = 0;
  #asked = 0;
  /** Requests that get done in a millisecond, while there is always one to be done. */
  #rate: number | null = null;

  constructor(rules: CrowdRules, clock: LoopClock = EVENT_LOOP) {
    this.#rules = rules;
    this.#clock = clock;
    this.#limit = rules.most;
    this.#since = clock.now();
    this.#busyAt = clock.busy();
  }

  /** How many there may be, as it was found when one came last. */
  get limit(): number {
    return this.#limit;
  }

  /** A request arrives while `active` are at work; how many there may be. */
  arrives(active: number): number {
    this.#noteActive(active);
    this.#arrived += 1;
    this.#asked += 1;
    return this.limitAt(active);
  }

  /** How many there may be now, while `active` are at work. */
  limitAt(active: number): number {
    const now = this.#clock.now();
    if (now - this.#since >= LIMITS.crowdLookMs && this.#rules.waitMs > 0) this.#look(now, active);
    return this.#limit;
  }

  /** There was no room for a request, whatever the limit is. */
  full(): void {
    this.#wasFull = true;
  }

  /** A request is done, and `active` are left. */
  ends(active: number): void {
    this.#done += 1;
    this.#noteActive(active);
  }

  #noteActive(active: number): void {
    this.#fewest = Math.min(this.#fewest, active);
    if (active === 0) this.#arrived = 0;
  }

  #look(now: number, active: number): void {
    const elapsed = now - this.#since;
    const busyAt = this.#clock.busy();
    const share = (busyAt - this.#busyAt) / elapsed;
    this.#surge.note({ ms: elapsed, asked: this.#asked, done: this.#done });
    if (share >= ALWAYS_BUSY && this.#fewest > 0) this.#tighten(elapsed, active);
    else this.#loosen(share);
    this.#since = now;
    this.#busyAt = busyAt;
    this.#done = 0;
    this.#asked = 0;
    this.#fewest = active;
    this.#activeAt = active;
    this.#wasFull = false;
  }

  #tighten(elapsed: number, active: number): void {
    const { most, waitMs } = this.#rules;
    const rate = this.#done / elapsed;
    const before = this.#rate ?? rate;
    const weight = Math.min(1, elapsed / (rate < before ? FALLING_MS : RISING_MS));
    this.#rate = before + weight * (rate - before);
    const stands = this.#wasFull || active > this.#activeAt * (1 - elapsed / LIMITS.crowdDrainMs);
    this.#standingMs = Math.max(0, this.#standingMs + (stands ? elapsed : -elapsed));
    this.#fullMs = this.#wasFull ? this.#fullMs + elapsed : 0;
    const enoughMs = this.#limit < most ? LIMITS.crowdFullMs : LIMITS.crowdMs;
    const isFull = this.#fullMs > LIMITS.crowdFullMs;
    const isSurge = this.#surge.isLasting && this.#arrived > most;
    const isCrowd = this.#standingMs >= enoughMs || isFull || isSurge;
    if (!isCrowd || this.#arrived <= LIMITS.crowdBurst) return;
    this.#limit = Math.min(most, Math.max(LIMITS.crowdLeast, Math.round(this.#rate * waitMs)));
  }

  #loosen(share: number): void {
    const { most } = this.#rules;
    this.#standingMs = 0;
    this.#fullMs = 0;
    this.#rate = null;
    // A queue that is empty for a moment only, as a short one often is, does not end a crowd.
    const isOver = share < MOSTLY_IDLE;
    this.#limit = isOver ? most : Math.min(most, Math.ceil(this.#limit * GROWTH));
  }
}
