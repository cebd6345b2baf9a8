import { LIMITS } from '../../domain/limits.ts';

/** What this server has decided since its start, and its current state. */
export class AlertTally {
  /** Whether this server decides alerts: only one of several servers does. */
  isDeciding = false;
  /** Number of enabled rules. */
  rules = 0;
  /** Number of firing events. */
  firing = 0;
  windows = 0;
  began = 0;
  ended = 0;
  failures = 0;
  /** Seconds from the last window decided to the last window due, by alert_id. */
  readonly lagOf = new Map<number, number>();

  readonly #monotonicMs: () => number;
  /** When a batch of windows was last decided, or all rules were looked at. */
  #progressAt: number;

  constructor(monotonicMs = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
    this.#progressAt = monotonicMs();
  }

  noteProgress(): void {
    this.#progressAt = this.#monotonicMs();
  }

  /**
   * The lag of the rule farthest behind. While there is no progress, nobody knows which windows
   * have become due, so all of that time counts.
   */
  get lagSeconds(): number {
    const known = Math.max(0, ...this.lagOf.values());
    const stallMs = this.#monotonicMs() - this.#progressAt;
    const isStalled = this.rules > 0 && stallMs > LIMITS.alertStallMs;
    return isStalled ? known + Math.floor(stallMs / 1000) : known;
  }
}
