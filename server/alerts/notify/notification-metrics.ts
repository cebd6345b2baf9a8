import { Counter, Gauge, type Registry } from 'prom-client';
import { DELIVERY_OUTCOMES, type NotificationTally, SINK_KINDS } from './notification-tally.ts';

export function registerNotifications(registry: Registry, tally: NotificationTally): void {
  new Counter({
    name: 'countergraph_alert_deliveries_total',
    help: 'Deliveries of alert events, by kind of sink and outcome; failed ones are retried',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const kind of SINK_KINDS) {
        for (const outcome of DELIVERY_OUTCOMES) {
          this.inc({ kind, outcome: outcome.replace(' ', '_') }, tally.attempts(kind, outcome));
        }
      }
    },
  });
  new Gauge({
    name: 'countergraph_alert_deliveries_waiting',
    help: 'Changes of alert events that wait to be delivered, up to 1,000,000 of each sink; 0 if another server notifies',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const kind of SINK_KINDS) this.set({ kind }, tally.waiting(kind));
    },
  });
}
