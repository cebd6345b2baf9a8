import { Counter, type Registry } from 'prom-client';
import { observedGauge } from '../telemetry/observed-metrics.ts';
import { type Admission, REFUSALS, type Refusal } from './admission.ts';

/** Registers the metrics of admission; returns a function that counts a refused request. */
export function registerAdmission(
  registry: Registry,
  admission: Pick<Admission, 'active'>,
): (why: Refusal) => void {
  observedGauge(
    registry,
    {
      name: 'countergraph_requests_at_work',
      help: 'Requests in progress; at most COUNTERGRAPH_MAX_CONCURRENT',
    },
    () => admission.active,
  );
  const refused = new Counter({
    name: 'countergraph_refused_requests_total',
    help: 'Requests that were refused with 503 because of overload, by reason',
    labelNames: ['why'],
    registers: [registry],
  });
  for (const why of REFUSALS) refused.inc({ why }, 0);
  return (why) => refused.inc({ why });
}
