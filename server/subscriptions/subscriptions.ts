import { Counter, type Registry } from 'prom-client';
import { serviceError } from '../../domain/errors.ts';
import type { Admission } from '../admission/admission.ts';
import type { OpenedSubscription } from '../graphql/graphql-scope.ts';
import { followedBy } from '../graphql/open-subscriptions.ts';
import type { Exchange } from '../http/http-exchange.ts';
import { acceptsType } from '../http/negotiate.ts';
import type { Service } from '../service/service.ts';
import { observedGauge } from '../telemetry/observed-metrics.ts';
import { Outages, Permits, type SubscriptionDeps } from './deps.ts';
import { EventStream, type Stream } from './event-stream.ts';
import { alertMessages, FollowedMessages, type MessageSource } from './followed-messages.ts';
import { FollowedQuery } from './followed-query.ts';
import { OpenStreams } from './open-streams.ts';
import { RightsCheck } from './rights-check.ts';
import type { Subscribers } from './subscribers.ts';
import { VersionWatch } from './version-watch.ts';

/** Sources of messages that do not replace each other, by field of `Subscription`. */
const MESSAGE_SOURCES: Readonly<Record<string, MessageSource>> = { alertEvents: alertMessages };

/** The open subscriptions of this process (ADR 17). */
export class Subscriptions {
  readonly #service: Service;
  readonly #followed = new Map<string, FollowedQuery | FollowedMessages>();
  readonly #streams: OpenStreams;
  readonly #rights: RightsCheck;
  readonly #deps: SubscriptionDeps;
  readonly #metrics;
  #isEnding = false;

  constructor(service: Service, admission: Pick<Admission, 'enter'>) {
    const { pools, log, metrics, variable } = service;
    this.#service = service;
    this.#streams = new OpenStreams(service.settings);
    this.#deps = {
      service,
      watch: new VersionWatch({ pools, log }),
      permits: new Permits(admission, pools.connections),
      outages: new Outages(log),
      nodeAddresses: { primaryUrl: pools.primaryUrl, variable },
      onComputed: () => this.#metrics.computed.inc(),
    };
    this.#rights = new RightsCheck(service, () => this.#subscribers());
    this.#metrics = registerSubscriptions(metrics.registry, () => this.#streams.size);
  }

  /** Answers with a stream. Errors: `streamNotAccepted`, `busy`, `tooManyStreams`, `limit`. */
  open(exchange: Exchange, opened: OpenedSubscription): void {
    const { username, claim, tokenDigest } = opened;
    const { accept } = exchange.request.headers;
    if (!acceptsType(accept, 'text/event-stream')) throw serviceError('streamNotAccepted');
    if (this.#isEnding) throw serviceError('busy');
    this.#streams.requireRoom(username, opened.characters);
    const { settings } = this.#service;
    const { events, skipped } = this.#metrics;
    exchange.current.streamOpened?.();
    const stream: Stream = {
      subscriber: { username, claim, tokenDigest },
      exchange,
      events: new EventStream({
        response: exchange.response,
        everyMs: followedBy(opened.requested).everyMs,
        slowReaderMs: settings.slowCallerSeconds * 1000,
        onSent: () => events.inc(),
        onSkipped: () => skipped.inc(),
      }),
    };
    const followed = this.#followedOf(opened);
    this.#streams.add(stream, opened.characters);
    this.#rights.start();
    exchange.response.once('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#rights.stop();
      followed.subscribers.leave(stream);
    });
    followed.join(stream, opened);
  }

  /** Completes all streams, after writing what is still due. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const subscribers of this.#subscribers()) {
      for (const stream of subscribers.streams) {
        stream.events.end();
        subscribers.leave(stream);
      }
    }
    await this.#deps.watch.ended();
  }

  #subscribers(): readonly Subscribers[] {
    return Array.from(this.#followed.values(), ({ subscribers }) => subscribers);
  }

  #followedOf({
    name,
    operation,
    requested,
    granted: { limit },
  }: OpenedSubscription): FollowedQuery | FollowedMessages {
    const known = this.#followed.get(name);
    if (known) return known;
    const onEnd = () => {
      if (this.#followed.get(name) === followed) this.#followed.delete(name);
    };
    const options = { limit, operation, requested, onEnd };
    const source = MESSAGE_SOURCES[requested.field];
    const followed = source
      ? new FollowedMessages(this.#deps, source, options)
      : new FollowedQuery(this.#deps, options);
    this.#followed.set(name, followed);
    return followed;
  }
}

/** `open` returns how many subscriptions are open. Returns the counters. */
function registerSubscriptions(registry: Registry, open: () => number) {
  observedGauge(
    registry,
    {
      name: 'countergraph_subscriptions_open',
      help: 'GraphQL subscriptions that are open',
    },
    () => open(),
  );
  const counter = (name: string, help: string) =>
    new Counter({ name, help, registers: [registry] });
  return {
    events: counter(
      'countergraph_subscription_events_total',
      'Answers that were sent to subscriptions',
    ),
    computed: counter(
      'countergraph_subscription_computations_total',
      'Answers that were computed for subscriptions, once for all that ask the same',
    ),
    skipped: counter(
      'countergraph_subscription_events_skipped_total',
      'Answers that were replaced by newer ones before a slow reader could take them',
    ),
  };
}
