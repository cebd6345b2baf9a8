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

  /** The lag of the rule farthest behind. */
  get lagSeconds(): number {
    return Math.max(0, ...this.lagOf.values());
  }
}
