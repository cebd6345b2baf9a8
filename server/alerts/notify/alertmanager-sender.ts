import { selectEventsToTell } from '../../../db/sql/alert-decisions.ts';
import type { DueDelivery, NotifiedSink, Wanted } from '../../../db/sql/alert-deliveries.ts';
import { LIMITS } from '../../../domain/limits.ts';
import {
  alertmanagerRequests,
  postableAlertOf,
  type ReportedChange,
} from './alertmanager-requests.ts';
import { describeEvents } from './notification.ts';
import type { SendingOptions } from './outcomes.ts';
import { addressOf, declaredAt, postToSink, SinkFailure } from './post-to-sink.ts';

/** The state of an Alertmanager. Times are those of `performance.now()`. */
type State = {
  isBusy: boolean;
  /** When to send it the firing alerts again; after a failure, when to send it anything. */
  repeatAt: number;
  /** Number of consecutive failed attempts. */
  failures: number;
  /** Its declared address. An Alertmanager at a new address has received nothing yet. */
  readonly declared: string;
};

/**
 * Notifies Alertmanagers. It sends all firing alerts repeatedly, and each ended alert once, in as
 * many requests as they need. Requests to one Alertmanager do not overlap, since the last one to
 * arrive wins.
 */
export class AlertmanagerSender {
  readonly #options: SendingOptions;
  readonly #states = new Map<number, State>();
  /** The address that each sink is declared with now. */
  #declared: ReadonlyMap<number, string> = new Map();

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /** Notes which sinks there are: others are sent nothing more. */
  note(sinks: readonly NotifiedSink[]): void {
    this.#declared = new Map(sinks.map((sink) => [sink.sinkId, declaredAt(sink)]));
    for (const id of this.#states.keys()) if (!this.#declared.has(id)) this.#states.delete(id);
  }

  wanted(sink: NotifiedSink): Wanted {
    const { isBusy, failures, repeatAt } = this.#state(sink);
    const isPausing = failures > 0 && performance.now() < repeatAt;
    const most = isBusy || isPausing ? 0 : LIMITS.alertmanagerChanges;
    return { sinkId: sink.sinkId, most };
  }

  /** Sends what is due or must be repeated; returns the requests that it has started. */
  send(sink: NotifiedSink, due: readonly DueDelivery[]): Promise<void>[] {
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

  async #tell(sink: NotifiedSink, due: readonly DueDelivery[], state: State): Promise<void> {
    const { outcomes, clock, repeatMs } = this.#options;
    const begunAt = performance.now();
    const requests = alertmanagerRequests(await this.#changes(sink, due), clock());
    let hasFailed = false;
    for (const request of requests) {
      if (this.#declared.get(sink.sinkId) !== state.declared) return;
      const failure = await this.#tryOne(sink, request);
      hasFailed ||= failure !== null;
      if (failure && !ABOUT_CONTENT.has(failure.status ?? 0)) break;
    }
    if (hasFailed) {
      state.repeatAt = performance.now() + this.#pauseMs(state.failures);
      state.failures += 1;
      return;
    }
    // If nothing was sent, whether the Alertmanager can be reached is unknown.
    if (requests.length > 0) outcomes.recovered(sink);
    state.failures = 0;
    // Alerts end if they are not repeated in time, so what the requests took counts.
    state.repeatAt = begunAt + repeatMs;
  }

  /** Sends one request, and records the outcome. Returns the failure, if it is one. */
  async #tryOne(
    sink: NotifiedSink,
    request: readonly ReportedChange[],
  ): Promise<SinkFailure | null> {
    const { outcomes } = this.#options;
    try {
      await this.#post(sink, request);
      await outcomes.delivered(sink, changesOf(request));
      return null;
    } catch (error) {
      if (!(error instanceof SinkFailure)) throw error;
      await outcomes.failed(sink, changesOf(request), error.message);
      return error;
    }
  }

  /** Returns how long to wait after another failure. */
  #pauseMs(failures: number): number {
    const { repeatMs, retries } = this.#options;
    return Math.min(repeatMs, retries.longestMs, retries.firstMs * 2 ** Math.min(failures, 30));
  }

  async #post(sink: NotifiedSink, request: readonly ReportedChange[]): Promise<void> {
    const { variable, clock, answerMs, signal } = this.#options;
    const { url, authorization } = addressOf(sink, variable);
    const address = { url: apiUrl(url), authorization };
    const headers = { 'content-type': 'application/json' };
    // Earlier requests may have taken a while, and firing alerts end some time after now.
    const nowMs = clock();
    const body = JSON.stringify(request.map((change) => postableAlertOf(change, nowMs)));
    await postToSink({ address, headers, body, answerMs, signal });
  }

  /**
   * Returns what to send, firing events last: also those whose next attempt is not due yet. After
   * an event of a key has ended, another event of the same key may fire, and to Alertmanager both
   * are the same alert.
   */
  async #changes(sink: NotifiedSink, due: readonly DueDelivery[]): Promise<ReportedChange[]> {
    const { onDatabase } = this.#options;
    const areDue = new Set(due.map(({ event }) => event.eventId));
    const firing = await onDatabase((connection) => selectEventsToTell(connection, sink.contextId));
    const isFiring = new Set(firing.map(({ eventId }) => eventId));
    const over = due
      .filter(({ event, change }) => change === 'ended' || !isFiring.has(event.eventId))
      .toSorted((a, b) => a.event.startedAt - b.event.startedAt);
    const events = [...over.map(({ event }) => event), ...firing];
    const notifications = await onDatabase((connection) => describeEvents(connection, events));
    return notifications.map(({ event, readable, label }, i) => ({
      change: over[i]?.change ?? 'began',
      isDue: areDue.has(event.eventId),
      event,
      readable,
      label,
    }));
  }

  #state(sink: NotifiedSink): State {
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

/** Statuses that may be about one request: a firewall, a limit of length, or bad content. */
const ABOUT_CONTENT: ReadonlySet<number> = new Set([400, 403, 413, 422]);

const changesOf = (told: readonly Pick<ReportedChange, 'event' | 'change'>[]) =>
  told.map(({ event: { eventId }, change }) => ({ eventId, change }));

/** Alertmanager may be served below a path of its own. */
function apiUrl(address: URL): URL {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v2/alerts`;
  return url;
}
