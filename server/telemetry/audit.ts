import type { AuditRow } from '../../db/sql/audit.ts';
import type { AuditedChange } from '../../resolvers/audited-change.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * Records a change in the request's log and in a metric. It names keys and fields, never values,
 * which may be secrets.
 */
export function auditChange(log: Logger, metrics: Metrics, change: AuditedChange): void {
  const isRefused = 'refused' in change;
  metrics.change(change.mutation, isRefused ? 'refused' : 'made');
  auditLog(log)?.info(change, isRefused ? 'a change was refused' : 'a change was made');
}

/** Logs a row of the audit, which tells of a change that no request has made. */
export function logAudit(log: Logger, { id: _, ...row }: AuditRow): void {
  auditLog(log)?.info(row, `audit: ${row.action}`);
}

/** The log of changes, which are logged at every LOG_LEVEL but silent; null: none. */
const auditLog = (log: Logger): Logger | null =>
  log.level === 'silent' ? null : log.child({}, { level: 'info' });
