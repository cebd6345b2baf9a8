import { Counter, type Registry } from 'prom-client';
import { LIMITS } from '../../domain/limits.ts';
import { observedCounter, observedGauge } from '../telemetry/observed-metrics.ts';

/** What this server has decided since its start, and its current state. */
export class AlertTally {
  /** Whether this server decides alerts: only one of several servers does. */
  isEvaluating = false;
  /** Number of enabled rules. */
  rules = 0;
  /** Number of firing events. */
  firing = 0;
  /** Number of enabled rules that are silenced. */
  silenced = 0;
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

export function registerAlertMetrics(registry: Registry, tally: AlertTally): void {
  observedGauge(
    registry,
    { name: 'countergraph_alert_rules', help: 'Alert rules that are enabled' },
    () => tally.rules,
  );
  observedGauge(
    registry,
    { name: 'countergraph_alerts_firing', help: 'Events of alerts that are firing' },
    () => tally.firing,
  );
  observedGauge(
    registry,
    {
      name: 'countergraph_alert_rules_silenced',
      help: 'Alert rules that are enabled and silenced, so that sinks are told nothing of them',
    },
    () => tally.silenced,
  );
  observedGauge(
    registry,
    {
      name: 'countergraph_alerts_deciding',
      help: 'Whether this server decides alerts (1) or another one does (0)',
    },
    () => Number(tally.isEvaluating),
  );
  observedGauge(
    registry,
    {
      name: 'countergraph_alert_lag_seconds',
      help:
        'Seconds from the last window decided to the last one due, of the rule farthest behind; ' +
        'while the evaluation makes no progress, plus that time',
    },
    () => tally.lagSeconds,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_alert_windows_total',
      help: 'Windows that this server has decided, of all rules',
    },
    () => tally.windows,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_alert_failures_total',
      help: 'How often alerts could not be decided; each is retried',
    },
    () => tally.failures,
  );
  new Counter({
    name: 'countergraph_alert_events_total',
    help: 'Events that this server has begun and ended',
    labelNames: ['change'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ change: 'began' }, tally.began);
      this.inc({ change: 'ended' }, tally.ended);
    },
  });
}
