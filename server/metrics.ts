import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { NodePools } from '../db/node-pools.ts';

export type Metrics = {
  readonly contentType: string;
  text(): Promise<string>;
  observe(route: string, status: number, seconds: number): void;
};

/** What /metrics tells, as Prometheus text. */
export function createMetrics(pools: NodePools): Metrics {
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
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    observe: (route, status, seconds) => requests.observe({ route, status }, seconds),
  };
}
