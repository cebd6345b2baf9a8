import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Admission } from './admission.ts';
import type { Service } from './service.ts';

export type Metrics = {
  readonly contentType: string;
  text(): Promise<string>;
  observe(route: string, status: number, seconds: number): void;
};

/** What /metrics tells, as Prometheus text. */
export function createMetrics(
  { pools, memory }: Pick<Service, 'pools' | 'memory'>,
  admission: Pick<Admission, 'active'>,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'countergraph_http_request_seconds',
    help: 'Duration of HTTP requests in seconds, by route and status',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [registry],
  });
  new Gauge({
    name: 'countergraph_requests_at_work',
    help: 'Requests that are worked on now; COUNTERGRAPH_MAX_CONCURRENT is the most there can be',
    registers: [registry],
    collect() {
      this.set(admission.active);
    },
  });
  new Gauge({
    name: 'countergraph_primary_connections',
    help: 'Connections to the primary database node, by what they do',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { reads } = pools.at(pools.primaryUrl);
      this.set({ state: 'idle' }, reads.idleCount);
      this.set({ state: 'busy' }, reads.totalCount - reads.idleCount);
      this.set({ state: 'waited_for' }, reads.waitingCount);
    },
  });
  new Gauge({
    name: 'countergraph_kernel_tasks',
    help: 'Sums that threads work on, and that wait for a thread',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'busy' }, memory.kernel.busy);
      this.set({ state: 'waiting' }, memory.kernel.waiting);
    },
  });
  new Gauge({
    name: 'countergraph_block_cache_bytes',
    help: 'Bytes of unpacked blocks and series that are kept between requests',
    registers: [registry],
    collect() {
      this.set(memory.unpackedBytes);
    },
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    observe: (route, status, seconds) => requests.observe({ route, status }, seconds),
  };
}
