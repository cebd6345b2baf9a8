import { Counter, Gauge, type Registry } from 'prom-client';
import type { SinkKind, WaitingDeliveries } from '../../../db/sql/alert-deliveries.ts';

const SINK_KINDS = ['webhook', 'alertmanager'] as const satisfies readonly SinkKind[];

/** failed: will be retried. */
const DELIVERY_OUTCOMES = ['delivered', 'failed', 'given up'] as const;

type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** What this process has delivered to sinks since its start, and what waits to be delivered. */
export class NotificationTally {
  readonly #attempts = new Map<string, number>();
  readonly #waiting = new Map<SinkKind, number>();

  add(kind: SinkKind, outcome: DeliveryOutcome, count: number): void {
    this.#attempts.set(`${kind} ${outcome}`, this.attempts(kind, outcome) + count);
  }

  attempts(kind: SinkKind, outcome: DeliveryOutcome): number {
    return this.#attempts.get(`${kind} ${outcome}`) ?? 0;
  }

  /** Notes the deliveries that wait, as just counted; none if another server notifies. */
  noteWaiting(counts: readonly WaitingDeliveries[]): void {
    this.#waiting.clear();
    for (const { kind, waiting } of counts) this.#waiting.set(kind, waiting);
  }

  waiting(kind: SinkKind): number {
    return this.#waiting.get(kind) ?? 0;
  }
}

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
