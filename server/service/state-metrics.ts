import { Counter, Gauge, type Registry } from 'prom-client';
import type { NodePools } from '../../db/session/node-pools.ts';
import { REJECTION_REASONS } from '../../db/session/snapshot-check.ts';
import type { ServiceCache } from '../../engine/cache/service-cache.ts';
import type { Standbys } from '../../engine/snapshot/standbys.ts';
import { PRIMARY } from '../../resolvers/nodes.ts';
import { observedGauge } from '../telemetry/observed-metrics.ts';

export type ObservedState = {
  readonly pools: NodePools;
  readonly standbys: Standbys;
  /** Returns a node's name, since its address may contain a password. */
  readonly nodeNameOf: (url: string) => string;
  readonly memory: ServiceCache;
  readonly state: { readonly isClosing: boolean };
};

/** Registers metrics whose values are read only on request: they cost nothing in between. */
export function registerState(registry: Registry, observed: ObservedState): void {
  const { state } = observed;
  new Gauge({
    name: 'countergraph_closing',
    help: '1 while the server is shutting down and answers only requests in progress',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(state.isClosing ? 1 : 0);
    },
  });
  registerConnections(registry, observed);
  registerStandbys(registry, observed);
  registerThreadPool(registry, observed);
  registerMemories(registry, observed);
}

function registerConnections(registry: Registry, { pools, nodeNameOf }: ObservedState): void {
  new Gauge({
    name: 'countergraph_node_connections',
    help: 'Connections for reading to each database node, by state',
    labelNames: ['node', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      // Opens the pools of the primary if nothing has yet, so that it is always listed.
      pools.at(pools.primaryUrl);
      for (const [url, { reads, pages }] of pools.entries()) {
        const node = nodeNameOf(url);
        // Nodes of several contexts may share a name.
        for (const { idleCount, totalCount, waitingCount } of [reads, pages]) {
          this.inc({ node, state: 'idle' }, idleCount);
          this.inc({ node, state: 'busy' }, totalCount - idleCount);
          this.inc({ node, state: 'waited_for' }, waitingCount);
        }
      }
    },
  });
}

function registerStandbys(registry: Registry, { standbys, nodeNameOf }: ObservedState): void {
  const ofStandbys = () =>
    standbys
      .use()
      .map(({ url, ...use }) => ({ node: nodeNameOf(url), ...use }))
      .filter(({ node }) => node !== PRIMARY);
  new Gauge({
    name: 'countergraph_shared_standby_used',
    help: '1 while a shared standby is used, 0 while it, or one of the same name in another context, is passed over; of those tried so far',
    labelNames: ['node'],
    // Across several processes: whether any of them uses it.
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.reset();
      const all = ofStandbys();
      const unused = new Set(all.flatMap(({ node, reason }) => (reason === null ? [] : node)));
      for (const { node } of all) this.set({ node }, unused.has(node) ? 0 : 1);
    },
  });
  new Counter({
    name: 'countergraph_shared_requests_total',
    help: 'Requests that a shared standby could have answered and that were not answered from memory, by the node that answered',
    labelNames: ['node'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { url, answered } of standbys.use()) this.inc({ node: nodeNameOf(url) }, answered);
    },
  });
  new Counter({
    name: 'countergraph_shared_passed_over_total',
    help: 'Requests that the primary answered because a shared standby could not, by reason',
    labelNames: ['node', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { node, passedOver } of ofStandbys()) {
        for (const reason of REJECTION_REASONS)
          this.inc({ node, reason }, passedOver.get(reason) ?? 0);
      }
    },
  });
}

function registerThreadPool(registry: Registry, { memory: { threadPool } }: ObservedState): void {
  observedGauge(
    registry,
    {
      name: 'countergraph_kernel_threads',
      help: 'Threads that were started to unpack and add up blocks',
    },
    () => threadPool.threads,
  );
  new Gauge({
    name: 'countergraph_kernel_tasks',
    help: 'Tasks that threads work on, and tasks that wait for a thread',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'busy' }, threadPool.busy);
      this.set({ state: 'waiting' }, threadPool.waiting);
    },
  });
}

function registerMemories(registry: Registry, { memory }: ObservedState): void {
  new Gauge({
    name: 'countergraph_memory_bytes',
    help: 'Approximate bytes of what is cached between requests',
    labelNames: ['memory'],
    registers: [registry],
    collect() {
      for (const { name, bytes } of memory.use()) this.set({ memory: name }, bytes);
    },
  });
  new Counter({
    name: 'countergraph_memory_lookups_total',
    help: 'Lookups in what is cached between requests',
    labelNames: ['memory', 'found'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, hits, misses } of memory.use()) {
        this.inc({ memory: name, found: 'yes' }, hits);
        this.inc({ memory: name, found: 'no' }, misses);
      }
    },
  });
  new Counter({
    name: 'countergraph_certified_reads_total',
    help: 'Reads near the whole time of a segment, by whether its largest keys were enough',
    labelNames: ['certified'],
    registers: [registry],
    collect() {
      this.reset();
      const { hits, misses } = memory.segments.certified;
      this.inc({ certified: 'yes' }, hits);
      this.inc({ certified: 'no' }, misses);
    },
  });
}
