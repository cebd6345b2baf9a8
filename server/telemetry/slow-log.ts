import { LIMITS } from '../../domain/limits.ts';
import type { PlanNote } from '../../resolvers/loaders/session/request-reads.ts';
import type { CurrentRequest } from './current-request.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/** The request it was, and its log. */
type Asked = { readonly log: Logger; readonly current: CurrentRequest };

/**
 * Logs requests that have taken longer than slowMs when all is read, with what their toppers were
 * made of: a caller who reads slowly makes no request slow. slowMs 0: none is logged.
 */
export const slowLog =
  (slowMs: number, metrics: Metrics) =>
  (asked: Asked, ms: number, plansOf: () => readonly PlanNote[]): void => {
    if (slowMs === 0 || ms <= slowMs) return;
    const plans = plansOf();
    metrics.slowRequest();
    const { user, operation } = asked.current;
    const shown = plans.slice(0, LIMITS.slowLogPlans);
    const unnamed = plans.length - shown.length;
    asked.log.warn(
      {
        user,
        operation,
        ms: Math.round(ms),
        plans: shown,
        ...(unnamed > 0 && { plansLeftOut: unnamed }),
      },
      'a request was slow',
    );
  };
