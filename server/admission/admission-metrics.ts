import { Counter, Gauge, type Registry } from 'prom-client';
import { type Admission, FULLNESSES, type Fullness } from './admission.ts';

/** Gives what counts a request that was refused. */
export function registerAdmission(
  registry: Registry,
  admission: Pick<Admission, 'active' | 'room'>,
): (why: Fullness) => void {
  new Gauge({
    name: 'countergraph_requests_at_work',
    help: 'Requests that are worked on now; COUNTERGRAPH_MAX_CONCURRENT is the most there can be',
    registers: [registry],
    collect() {
      this.set(admission.active);
    },
  });
  new Gauge({
    name: 'countergraph_requests_room',
    help: 'How many may be worked on now: fewer than COUNTERGRAPH_MAX_CONCURRENT in a crowd',
    registers: [registry],
    collect() {
      this.set(admission.room());
    },
  });
  const refused = new Counter({
    name: 'countergraph_refused_requests_total',
    help: 'Requests that were refused with 503 before any work, by what there was no room in',
    labelNames: ['why'],
    registers: [registry],
  });
  for (const why of FULLNESSES) refused.inc({ why }, 0);
  return (why) => refused.inc({ why });
}
