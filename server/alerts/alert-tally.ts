/** What this server has decided since its start, and where it stands. */
export class AlertTally {
  /** Whether this server decides: of several servers one does. */
  isDeciding = false;
  /** Rules that are enabled. */
  rules = 0;
  /** Events that are firing. */
  firing = 0;
  windows = 0;
  began = 0;
  ended = 0;
  failures = 0;
  /** By alert_id: from the last window that was decided to the last that is due, in seconds. */
  readonly lagOf = new Map<number, number>();

  /** That of the rule farthest behind. */
  get lagSeconds(): number {
    return Math.max(0, ...this.lagOf.values());
  }
}
