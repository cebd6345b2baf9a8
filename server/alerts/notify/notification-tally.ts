import type { SinkKind, WaitingDeliveries } from '../../../db/sql/alert-deliveries.ts';

export const SINK_KINDS = ['webhook', 'alertmanager'] as const satisfies readonly SinkKind[];

/** failed: will be retried. */
export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'given up'] as const;

export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

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
