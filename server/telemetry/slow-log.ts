import { LIMITS } from '../../domain/limits.ts';
import type { PlanNote } from '../../resolvers/loaders/request-reads.ts';
import type { CurrentRequest } from './current-request.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/** A request and its log. */
type SlowRequest = { readonly log: Logger; readonly current: CurrentRequest };

/**
 * Logs requests that took longer than slowMs until everything was read from the database, with the
 * plans of their toppers. A caller who reads slowly does not make a request slow. slowMs 0: logs
 * none.
 */
export const slowLog =
  (slowMs: number, metrics: Metrics) =>
  (request: SlowRequest, ms: number, plansOf: () => readonly PlanNote[]): void => {
    if (slowMs === 0 || ms <= slowMs) return;
    const plans = plansOf();
    metrics.slowRequest();
    const { user, operation } = request.current;
    const shown = plans.slice(0, LIMITS.slowLogPlans);
    const unnamed = plans.length - shown.length;
    request.log.warn(
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
