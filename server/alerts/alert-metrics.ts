import { Counter, type Registry } from 'prom-client';
import { observedCounter, observedGauge } from '../telemetry/observed-metrics.ts';
import type { AlertTally } from './alert-tally.ts';

export function registerAlerts(registry: Registry, tally: AlertTally): void {
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
      name: 'countergraph_alerts_deciding',
      help: 'Whether this server decides alerts (1) or another one does (0)',
    },
    () => Number(tally.isDeciding),
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
