import { Gauge, type Registry } from 'prom-client';
import type { Admission } from './admission.ts';

export function registerAdmission(registry: Registry, admission: Pick<Admission, 'active'>): void {
  new Gauge({
    name: 'countergraph_requests_at_work',
    help: 'Requests that are worked on now; COUNTERGRAPH_MAX_CONCURRENT is the most there can be',
    registers: [registry],
    collect() {
      this.set(admission.active);
    },
  });
}
