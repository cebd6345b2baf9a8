import type { DueDelivery, Wanted } from '../../../db/write/alerts/select-due-deliveries.ts';
import { selectFiringEvents } from '../../../db/write/alerts/select-firing-events.ts';
import type { WaitingSink } from '../../../db/write/alerts/select-waiting-sinks.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { endedAlert, firingAlert, type PostableAlert } from './alertmanager-alert.ts';
import { describeEvents } from './notification.ts';
import { postToSink } from './post-to-sink.ts';
import type { SendingOptions } from './sending.ts';
import { addressOf, declaredAt } from './sink-address.ts';
import { SinkFailure } from './sink-failure.ts';

/** The state of an Alertmanager. Times are those of `performance.now()`. */
type State = {
  isBusy: boolean;
  /** When to send it the firing alerts again. */
  repeatAt: number;
  /** Number of consecutive failed attempts. */
  failures: number;
  /** Its declared address. An Alertmanager at a new address has received nothing yet. */
  readonly declared: string;
};

/**
 * Notifies Alertmanagers. It sends all firing alerts repeatedly, and each ended alert once. Each
 * request holds all of them, and requests to one Alertmanager do not overlap, since the last
 * request to arrive wins.
 */
export class AlertmanagerSender {
  readonly #options: SendingOptions;
  readonly #states = new Map<number, State>();

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  wanted(sink: WaitingSink): Wanted {
    const most = this.#state(sink).isBusy || sink.waiting === 0 ? 0 : LIMITS.alertmanagerChanges;
    return { sinkId: sink.sinkId, most };
  }

  /** Sends what is due or must be repeated; returns the requests that it has started. */
  send(sink: WaitingSink, due: readonly DueDelivery[]): Promise<void>[] {
    const state = this.#state(sink);
    const isIdle = due.length === 0 && performance.now() < state.repeatAt;
    if (state.isBusy || isIdle) return [];
    state.isBusy = true;
    return [
      this.#tell(sink, due, state).finally(() => {
        state.isBusy = false;
      }),
    ];
  }

  async #tell(sink: WaitingSink, due: readonly DueDelivery[], state: State): Promise<void> {
    const { onDatabase, outcomes, variable, repeatMs, answerMs, signal } = this.#options;
    const firing = await onDatabase((connection) => selectFiringEvents(connection, sink.contextId));
    const isFiring = new Set(firing.map(({ eventId }) => eventId));
    try {
      const alerts = await this.#alerts(
        due.filter(({ event, change }) => change === 'ended' || !isFiring.has(event.eventId)),
        firing,
      );
      if (alerts.length === 0) {
        // Nothing was sent, so whether the Alertmanager can be reached is unknown.
        state.repeatAt = performance.now() + repeatMs;
        return;
      }
      const { url, authorization } = addressOf(sink, variable);
      const address = { url: apiUrl(url), authorization };
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(alerts);
      await postToSink({ address, headers, body, answerMs, signal });
    } catch (error) {
      if (!(error instanceof SinkFailure)) throw error;
      const pauseMs = LIMITS.notificationFirstRetryMs * 2 ** Math.min(state.failures, 30);
      state.failures += 1;
      state.repeatAt = performance.now() + Math.min(repeatMs, pauseMs);
      await outcomes.failed(sink, changesOf(due), error.message);
      return;
    }
    state.failures = 0;
    state.repeatAt = performance.now() + repeatMs;
    // Firing events were sent, too, even those whose next attempt was not due yet.
    const told = firing.map(({ eventId }) => ({ eventId, change: 'began' as const }));
    await outcomes.delivered(sink, [...changesOf(due), ...told]);
  }

  /**
   * Builds the alerts to send, firing ones last. After an event of a key has ended, another event
   * of the same key may fire, and to Alertmanager both are the same alert.
   */
  async #alerts(
    due: readonly DueDelivery[],
    firing: readonly DueDelivery['event'][],
  ): Promise<PostableAlert[]> {
    const { onDatabase, clock } = this.#options;
    const nowMs = clock();
    const over = due.toSorted((a, b) => a.event.startedAt - b.event.startedAt);
    const events = [...over.map(({ event }) => event), ...firing];
    const notifications = await onDatabase((connection) => describeEvents(connection, events));
    return notifications.map((notification, i) =>
      over[i]?.change === 'ended'
        ? endedAlert(notification, nowMs)
        : firingAlert(notification, nowMs),
    );
  }

  #state(sink: WaitingSink): State {
    const { sinkId } = sink;
    const declared = declaredAt(sink);
    const known = this.#states.get(sinkId);
    // Requests must not overlap, so a request in progress to the old address is awaited.
    if (known?.isBusy || known?.declared === declared) return known;
    const made = { isBusy: false, repeatAt: 0, failures: 0, declared };
    this.#states.set(sinkId, made);
    return made;
  }
}

const changesOf = (due: readonly DueDelivery[]) =>
  due.map(({ event: { eventId }, change }) => ({ eventId, change }));

/** Alertmanager may be served below a path of its own. */
function apiUrl(address: URL): URL {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v2/alerts`;
  return url;
}
