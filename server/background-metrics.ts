import { Counter, type Registry } from 'prom-client';
import { type AlertTally, registerAlertMetrics } from './alerts/alert-metrics.ts';
import {
  type NotificationTally,
  registerNotifications,
} from './alerts/notify/notification-metrics.ts';
import { registerExporters } from './background/exporter-metrics.ts';
import { registerFeeds } from './background/feed-metrics.ts';
import {
  type MergingTally,
  registerImports,
  registerMerging,
  registerSegments,
} from './background/merging-metrics.ts';
import type { RetentionTally } from './background/retention.ts';
import { observedCounter, observedGauge } from './telemetry/observed-metrics.ts';

export type ObservedBackground = {
  readonly merging: MergingTally;
  readonly retention: RetentionTally;
  readonly alerts: AlertTally;
  readonly notifications: NotificationTally;
  readonly databaseRestarts: () => number;
};

/**
 * Registers the metrics of the background work. Of several processes, only one does this work and
 * reports it.
 */
export function registerBackground(registry: Registry, observed: ObservedBackground): void {
  const { merging, retention, alerts, notifications, databaseRestarts } = observed;
  observedCounter(
    registry,
    {
      name: 'countergraph_database_restarts_total',
      help: 'How often the embedded PostgreSQL died and was restarted',
    },
    databaseRestarts,
  );
  registerMerging(registry, merging);
  registerSegments(registry, merging);
  registerImports(registry, merging);
  registerFeeds(registry, merging);
  registerExporters(registry, merging);
  registerRetention(registry, retention);
  registerAlertMetrics(registry, alerts);
  registerNotifications(registry, notifications);
}

function registerRetention(registry: Registry, retention: RetentionTally): void {
  new Counter({
    name: 'countergraph_retention_runs_total',
    help: 'Checks for slices that are older than their context keeps them, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ outcome: 'ok' }, retention.runs.ok);
      this.inc({ outcome: 'failed' }, retention.runs.failed);
    },
  });
  observedGauge(
    registry,
    {
      name: 'countergraph_retention_last_run_timestamp_seconds',
      help: 'When the last of these checks ended, in seconds since the epoch; 0: none has yet',
    },
    () => retention.lastAt ?? 0,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_retention_dropped_slices_total',
      help: 'Slices that were dropped because they were older than their context keeps them',
    },
    () => retention.droppedSlices,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_retention_dropped_events_total',
      help: 'Ended events of alerts that were dropped because they were older than their context keeps them',
    },
    () => retention.droppedEvents,
  );
}
