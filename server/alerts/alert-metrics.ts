import { Counter, Gauge, type Registry } from 'prom-client';
import type { AlertTally } from './alert-tally.ts';

export function registerAlerts(registry: Registry, tally: AlertTally): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  const counter = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  gauge('countergraph_alert_rules', 'Alert rules that are enabled', () => tally.rules);
  gauge('countergraph_alerts_firing', 'Events of alerts that are firing', () => tally.firing);
  gauge(
    'countergraph_alerts_deciding',
    'Whether this server decides alerts (1) or another one does (0)',
    () => Number(tally.isDeciding),
  );
  gauge(
    'countergraph_alert_lag_seconds',
    'Seconds from the last window decided to the last one due, of the rule farthest behind',
    () => tally.lagSeconds,
  );
  counter(
    'countergraph_alert_windows_total',
    'Windows that this server has decided, of all rules',
    () => tally.windows,
  );
  counter(
    'countergraph_alert_failures_total',
    'How often alerts could not be decided; each is retried',
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
