import type { Registry } from 'prom-client';
import { AlertTally } from './alerts/alert-tally.ts';
import { type KeepDecidingOptions, keepDeciding } from './alerts/keep-deciding.ts';
import { type KeepNotifyingOptions, keepNotifying } from './alerts/notify/keep-notifying.ts';
import { NotificationTally } from './alerts/notify/notification-tally.ts';
import { type KeepRetentionOptions, keepRetention } from './background/keep-retention.ts';
import { RetentionTally } from './background/retention-tally.ts';
import { registerBackground } from './background-metrics.ts';
import { type KeepMergedOptions, keepMerged } from './merging/keep-merged.ts';
import { MergingTally } from './merging/merging-tally.ts';
import type { Logger } from './telemetry/log.ts';

export type BackgroundOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** When and how segments are merged; delays null: never by itself. */
  readonly merging?: Pick<KeepMergedOptions, 'delays' | 'visit'>;
  /** When to look for slices that are older than their context keeps them; null: never. */
  readonly retention?: KeepRetentionOptions['delays'];
  /** When to look for sinks that are to be told of alerts; null: never by itself. */
  readonly notifying?: KeepNotifyingOptions['delays'];
  /** The environment, which may hold addresses and secrets of sinks. */
  readonly variable?: (name: string) => string | undefined;
  /** When to look for windows of alerts that are due; null: never. */
  readonly alerts?: KeepDecidingOptions['delays'];
  /** How often the database died and was started again by this process. */
  readonly databaseRestarts?: () => number;
};

export type Background = {
  /** Merges and sweeps now what would be merged and swept at the next look. */
  mergeNow(): Promise<void>;
  /** Drops now the slices that would be dropped at the next look. */
  dropExpiredNow(): Promise<void>;
  /** Decides now the windows of alerts that are due. */
  decideAlertsNow(): Promise<void>;
  stop(): Promise<void>;
};

/** The work that a server does beside answering requests, which the registry tells of. */
export function startBackground(registry: Registry, options: BackgroundOptions): Background {
  const { databaseUrl, log, clock, databaseRestarts = () => 0 } = options;
  const { alerts: deciding, notifying, variable } = options;
  const merging = new MergingTally();
  const retention = new RetentionTally();
  const alerts = new AlertTally();
  const notifications = new NotificationTally();
  registerBackground(registry, { merging, retention, alerts, notifications, databaseRestarts });
  const common = { databaseUrl, log, ...(clock && { clock }) };
  const merger = keepMerged({ ...common, tally: merging, ...options.merging });
  const retainer = keepRetention({
    ...common,
    tally: retention,
    ...(options.retention !== undefined && { delays: options.retention }),
  });
  const evaluator = keepDeciding({
    ...common,
    tally: alerts,
    ...(deciding !== undefined && { delays: deciding }),
  });
  const notifier = keepNotifying({
    ...common,
    tally: notifications,
    ...(notifying !== undefined && { delays: notifying }),
    ...(variable && { variable }),
  });
  return {
    mergeNow: () => merger.runOnce(),
    dropExpiredNow: () => retainer.runOnce(),
    decideAlertsNow: () => evaluator.runOnce(),
    async stop() {
      await Promise.all([merger.stop(), retainer.stop(), evaluator.stop(), notifier.stop()]);
    },
  };
}
