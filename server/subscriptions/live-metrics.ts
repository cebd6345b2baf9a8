import { Counter, type Registry } from 'prom-client';
import { observedGauge } from '../telemetry/observed-metrics.ts';

/** `open` returns how many subscriptions are open. Returns the counters. */
export function registerLive(registry: Registry, open: () => number) {
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
