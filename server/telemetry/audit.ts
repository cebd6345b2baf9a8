import type { AuditedChange } from '../../resolvers/audited-change.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * Records a change in the request's log and in a metric. The line is logged at every LOG_LEVEL but
 * silent. It names keys and fields, never values, which may be secrets.
 */
export function auditChange(log: Logger, metrics: Metrics, change: AuditedChange): void {
  const isRefused = 'refused' in change;
  metrics.change(change.mutation, isRefused ? 'refused' : 'made');
  if (log.level === 'silent') return;
  const audit = log.child({}, { level: 'info' });
  audit.info(change, isRefused ? 'a change was refused' : 'a change was made');
}
