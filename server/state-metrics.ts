import { Counter, Gauge, type Registry } from 'prom-client';
import type { NodePools } from '../db/node-pools.ts';
import type { ServiceMemory } from '../resolvers/loaders/memory/service-memory.ts';
import { registerImports, registerMerging, registerSegments } from './merging/merging-metrics.ts';
import type { MergingTally } from './merging/merging-tally.ts';
import type { RetentionTally } from './retention-tally.ts';
import type { ServingState } from './serving-state.ts';

export type ObservedState = {
  readonly pools: NodePools;
  /** A node's name: its address may hold a password. */
  readonly nodeNameOf: (url: string) => string;
  readonly memory: ServiceMemory;
  readonly merging: MergingTally;
  readonly retention: RetentionTally;
  readonly state: ServingState;
  readonly databaseRestarts: () => number;
};

/** What is looked up when somebody asks for it: it costs nothing in between. */
export function registerState(registry: Registry, observed: ObservedState): void {
  const { state } = observed;
  new Gauge({
    name: 'countergraph_closing',
    help: '1 while the server is closing and answers only what it has begun',
    registers: [registry],
    collect() {
      this.set(state.isClosing ? 1 : 0);
    },
  });
  const { databaseRestarts } = observed;
  new Counter({
    name: 'countergraph_database_restarts_total',
    help: 'How often the embedded PostgreSQL died and was started again',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(databaseRestarts());
    },
  });
  registerConnections(registry, observed);
  registerThreadPool(registry, observed);
  registerMemories(registry, observed);
  registerMerging(registry, observed.merging);
  registerSegments(registry, observed.merging);
  registerImports(registry, observed.merging);
  registerRetention(registry, observed);
}

function registerConnections(registry: Registry, { pools, nodeNameOf }: ObservedState): void {
  new Gauge({
    name: 'countergraph_node_connections',
    help: 'Connections for reading to each database node, by what they do',
    labelNames: ['node', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      pools.at(pools.primaryUrl);
      for (const [url, { reads }] of pools.entries()) {
        const node = nodeNameOf(url);
        // Nodes of several contexts may share a name.
        this.inc({ node, state: 'idle' }, reads.idleCount);
        this.inc({ node, state: 'busy' }, reads.totalCount - reads.idleCount);
        this.inc({ node, state: 'waited_for' }, reads.waitingCount);
      }
    },
  });
}

function registerThreadPool(registry: Registry, { memory: { threadPool } }: ObservedState): void {
  new Gauge({
    name: 'countergraph_kernel_threads',
    help: 'Threads that were started to unpack and add up blocks',
    registers: [registry],
    collect() {
      this.set(threadPool.threads);
    },
  });
  new Gauge({
    name: 'countergraph_kernel_tasks',
    help: 'Tasks that threads work on, and that wait for a thread',
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
    help: 'Bytes of what is kept between requests, about',
    labelNames: ['memory'],
    registers: [registry],
    collect() {
      for (const { name, bytes } of memory.use()) this.set({ memory: name }, bytes);
    },
  });
  new Counter({
    name: 'countergraph_memory_lookups_total',
    help: 'How often something was looked for in what is kept between requests',
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
}

function registerRetention(registry: Registry, { retention }: ObservedState): void {
  new Counter({
    name: 'countergraph_retention_runs_total',
    help: 'Looks for slices that are older than their context keeps them, by how they ended',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ outcome: 'ok' }, retention.runs.ok);
      this.inc({ outcome: 'failed' }, retention.runs.failed);
    },
  });
  new Gauge({
    name: 'countergraph_retention_last_run_timestamp_seconds',
    help: 'When the last of these looks ended, in seconds since the epoch; 0: none has yet',
    registers: [registry],
    collect() {
      this.set(retention.lastAt ?? 0);
    },
  });
  new Counter({
    name: 'countergraph_retention_dropped_slices_total',
    help: 'Slices that were dropped because they were older than their context keeps them',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(retention.droppedSlices);
    },
  });
}
