import type { Registry } from 'prom-client';
import { LIMITS } from '../domain/limits.ts';
import { FailedSignIns } from './admission/failed-sign-ins.ts';
import { TokenUses } from './admission/token-uses.ts';
import { AlertTally } from './alerts/alert-metrics.ts';
import { type EvaluateAlertsOptions, evaluateAlerts } from './alerts/evaluate-alerts.ts';
import { type KeepNotifyingOptions, keepNotifying } from './alerts/notify/keep-notifying.ts';
import { NotificationTally } from './alerts/notify/notification-metrics.ts';
import { type KeepAuditOptions, keepAudit } from './background/audit.ts';
import { type MergeSchedulerOptions, mergeScheduler } from './background/merge-scheduler.ts';
import { MergingTally } from './background/merging-metrics.ts';
import {
  type KeepRetentionOptions,
  keepRetention,
  RetentionTally,
} from './background/retention.ts';
import { type KeepTokenUsesOptions, keepTokenUses } from './background/token-uses.ts';
import { registerBackground } from './background-metrics.ts';
import { endedWithin } from './ended-within.ts';
import type { Settings } from './settings/settings.ts';
import type { Logger } from './telemetry/log.ts';

export type BackgroundOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly settings: Pick<Settings, 'auditDays'>;
  /** Counted by those who answer requests; left out: nobody counts. */
  readonly failedSignIns?: FailedSignIns;
  /** Noted by those who answer requests; left out: nobody notes any. */
  readonly tokenUses?: TokenUses;
  /** When to write the last uses of tokens; null: only by `keepTokenUsesNow`. */
  readonly keepingUses?: KeepTokenUsesOptions['delays'];
  /** When to write the audit and to log it; null: only by `keepAuditNow`. */
  readonly audit?: KeepAuditOptions['delays'];
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** When and how segments are merged; delays null: only when `mergeNow` is called. */
  readonly merging?: Pick<MergeSchedulerOptions, 'delays' | 'mergeContext'>;
  /** When to check for slices past their context's retention; null: only by `dropExpiredNow`. */
  readonly retention?: KeepRetentionOptions['delays'];
  /** When to check for alert notifications to send to sinks; null: never. */
  readonly notifying?: KeepNotifyingOptions['delays'];
  /** The environment, which may hold addresses and secrets of sinks. */
  readonly variable?: (name: string) => string | undefined;
  /** When to check for alert windows that are due; null: only by `evaluateAlertsNow`. */
  readonly alerts?: EvaluateAlertsOptions['delays'];
  /** How often the database died and this process restarted it. */
  readonly databaseRestarts?: () => number;
};

export type Background = {
  /** Merges and sweeps now what the next pass would merge and sweep. */
  mergeNow(): Promise<void>;
  /** Drops now the slices that the next pass would drop. */
  dropExpiredNow(): Promise<void>;
  /** Evaluates now the alert windows that are due. */
  evaluateAlertsNow(): Promise<void>;
  /** Writes failed sign-ins, and logs what is new in the audit. */
  keepAuditNow(): Promise<void>;
  /** Writes when tokens were last used. */
  keepTokenUsesNow(): Promise<void>;
  /** Aborts the passes in progress. Does not wait long for one whose database does not answer. */
  stop(): Promise<void>;
};

/** Starts the work that a server does besides answering requests, and registers its metrics. */
export function startBackground(registry: Registry, options: BackgroundOptions): Background {
  const { databaseUrl, log, clock, databaseRestarts = () => 0 } = options;
  const { alerts: evaluation, notifying, audit, variable } = options;
  const { failedSignIns = new FailedSignIns(), tokenUses = new TokenUses() } = options;
  const { keepingUses } = options;
  const merging = new MergingTally();
  const retention = new RetentionTally();
  const alerts = new AlertTally();
  const notifications = new NotificationTally();
  registerBackground(registry, { merging, retention, alerts, notifications, databaseRestarts });
  const common = { databaseUrl, log, ...(clock && { clock }) };
  const merger = mergeScheduler({ ...common, tally: merging, ...options.merging });
  const retainer = keepRetention({
    ...common,
    tally: retention,
    auditDays: options.settings.auditDays,
    ...(options.retention !== undefined && { delays: options.retention }),
  });
  const evaluator = evaluateAlerts({
    ...common,
    tally: alerts,
    ...(evaluation !== undefined && { delays: evaluation }),
  });
  const notifier = keepNotifying({
    ...common,
    tally: notifications,
    ...(notifying !== undefined && { delays: notifying }),
    ...(variable && { variable }),
  });
  const auditor = keepAudit({
    databaseUrl,
    log,
    failedSignIns,
    ...(audit !== undefined && { delays: audit }),
  });
  const uses = keepTokenUses({
    databaseUrl,
    log,
    tokenUses,
    ...(keepingUses !== undefined && { delays: keepingUses }),
  });
  return {
    mergeNow: () => merger.runOnce(),
    dropExpiredNow: () => retainer.runOnce(),
    evaluateAlertsNow: () => evaluator.runOnce(),
    keepAuditNow: () => auditor.runOnce(),
    keepTokenUsesNow: () => uses.runOnce(),
    async stop() {
      const works = [merger, retainer, evaluator, notifier, auditor, uses];
      const stopped = Promise.all(works.map((work) => work.stop()));
      if (await endedWithin(stopped, LIMITS.processEndMs)) return;
      // Nothing is lost: it writes in transactions, and the next server does the rest.
      log.warn('background work does not end, and is abandoned');
    },
  };
}
