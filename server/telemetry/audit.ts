import type { AuditedChange } from '../../resolvers/audited-change.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * Tells of a change: a line of the request's log for each, whatever LOG_LEVEL leaves out unless it
 * is silent, and a metric. It names keys and fields, never values, which may be secrets.
 */
export function auditChange(log: Logger, metrics: Metrics, change: AuditedChange): void {
  const isRefused = 'refused' in change;
  metrics.change(change.mutation, isRefused ? 'refused' : 'made');
  if (log.level === 'silent') return;
  const audit = log.child({}, { level: 'info' });
  audit.info(change, isRefused ? 'a change was refused' : 'a change was made');
}
