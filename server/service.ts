import { AsyncResource } from 'node:async_hooks';
import { NodePools, type StatementObserver } from '../db/node-pools.ts';
import { joinObservers } from '../domain/work-observer.ts';
import { RequestReads } from '../resolvers/loaders/request-reads.ts';
import { ServiceMemory } from '../resolvers/loaders/service-memory.ts';
import type { LogInGate } from '../resolvers/log-in-gate.ts';
import { NodeDirectory } from '../resolvers/node-directory.ts';
import { nodeNamer } from '../resolvers/nodes.ts';
import type { AnonymousScope } from '../resolvers/request-scope.ts';
import { Kernel } from '../topk/kernel.ts';
import { currentRequest } from './current-request.ts';
import type { TrustedDocuments } from './documents.ts';
import type { Logger } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { PackingTally } from './packing-tally.ts';
import { programVersion } from './program-version.ts';
import { ServingState } from './serving-state.ts';
import type { Settings } from './settings.ts';
import { slowLog } from './slow-log.ts';
import { registerState } from './state-metrics.ts';
import type { Tracing } from './tracing.ts';

export type ServiceOptions = {
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly onStatement?: StatementObserver;
  /** GraphQL documents that were known beforehand. */
  readonly documents?: TrustedDocuments;
  /** Those of the dashboard. */
  readonly pageDocuments?: TrustedDocuments;
  /** null: nothing is traced. Whoever opened it closes it. */
  readonly tracing?: Tracing | null;
  /** Where a node's url_env is looked up. */
  readonly variable?: (name: string) => string | undefined;
};

export type Service = {
  readonly settings: Settings;
  readonly log: Logger;
  readonly pools: NodePools;
  readonly documents: TrustedDocuments;
  readonly pageDocuments: TrustedDocuments;
  /** What is remembered between requests. */
  readonly memory: ServiceMemory;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  readonly packing: PackingTally;
  readonly state: ServingState;
  /**
   * A scope for one request. Its `reads` must be ended, whatever comes of the request.
   * mayReadAlone: the request is begun anew when it fails with `SnapshotMoved`.
   */
  openScope(
    timeoutSeconds: number | null,
    caller: { readonly signal: AbortSignal; readonly gate: LogInGate },
    options?: { mayReadAlone: boolean },
  ): AnonymousScope;
  close(): Promise<void>;
};

/** What all requests share: the connections, and what is known of the nodes. */
export function createService(options: ServiceOptions): Service {
  const { settings, log, databaseUrl, onStatement, tracing = null, clock = Date.now } = options;
  const metrics = createMetrics(programVersion());
  const onWork = tracing ? joinObservers([metrics.onWork, tracing.onWork]) : metrics.onWork;
  const pools = new NodePools({
    primaryUrl: databaseUrl,
    ...(onStatement && { onStatement }),
    onWork,
    // Not in the name of the request that happened to open it, and is long over.
    onLostConnection: AsyncResource.bind((error: Error) =>
      log.warn({ err: error }, 'a database connection was lost'),
    ),
  });
  const directory = new NodeDirectory();
  const kernel = new Kernel({
    workers: settings.workers,
    queueLength: settings.workerQueue,
    onWork,
  });
  const memory = new ServiceMemory(kernel, {
    unpackedBytes: settings.blockCacheBytes,
    answerBytes: settings.answerCacheBytes,
  });
  const variable = options.variable ?? ((name: string) => process.env[name]);
  const [packing, state] = [new PackingTally(), new ServingState()];
  const nodeNameOf = nodeNamer(pools.primaryUrl, directory, variable);
  registerState(metrics.registry, { pools, nodeNameOf, memory, packing, state });
  const onEnd = slowLog(log, settings.slowMs, metrics);
  return {
    ...{ settings, log, pools, memory, metrics, tracing, packing, state },
    documents: options.documents ?? new Map(),
    pageDocuments: options.pageDocuments ?? new Map(),
    openScope: (timeoutSeconds, { signal, gate }, { mayReadAlone } = { mayReadAlone: false }) => ({
      ...{ settings, directory, variable, gate },
      reads: new RequestReads({
        ...{ pools, memory, timeoutSeconds, signal, mayReadAlone },
        onPlan: (plan) => log.debug({ plan }, 'a topper was planned'),
        requestId: currentRequest.getStore()?.requestId ?? null,
        onIdentified: noteUser,
        onEnd,
      }),
      now: Math.floor(clock() / 1000),
    }),
    async close() {
      await Promise.all([pools.close(), kernel.close()]);
    },
  };
}

/** Who asks is named in the log of the request. */
function noteUser(username: string): void {
  const request = currentRequest.getStore();
  if (request) request.user = username;
}
