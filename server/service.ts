import { describeDatabase } from '../db/describe-database.ts';
import { NodePools, type StatementObserver } from '../db/node-pools.ts';
import { LOST_STATEMENTS } from '../db/pooler.ts';
import { joinObservers, type WorkObserver } from '../domain/work-observer.ts';
import { AnswerBudget } from '../resolvers/answer-budget.ts';
import { ServiceMemory } from '../resolvers/loaders/memory/service-memory.ts';
import { RequestReads } from '../resolvers/loaders/session/request-reads.ts';
import type { LogInGate } from '../resolvers/log-in-gate.ts';
import { NodeDirectory } from '../resolvers/node-directory.ts';
import { nodeNamer } from '../resolvers/nodes.ts';
import type { AnonymousScope } from '../resolvers/request-scope.ts';
import { ThreadPool } from '../topk/thread-pool.ts';
import type { CurrentRequest } from './current-request.ts';
import type { TrustedDocuments } from './documents.ts';
import type { Logger } from './log.ts';
import { MergingTally } from './merging/merging-tally.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { programVersion } from './program-version.ts';
import { RetentionTally } from './retention-tally.ts';
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
  /** How often the database died and was started again by this process. */
  readonly databaseRestarts?: () => number;
  /** Where a node's url_env is looked up. */
  readonly variable?: (name: string) => string | undefined;
};

/** The request that a scope is for. */
export type AskedFor = {
  readonly signal: AbortSignal;
  readonly gate: LogInGate;
  readonly current: CurrentRequest;
  readonly log: Logger;
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
  readonly merging: MergingTally;
  readonly retention: RetentionTally;
  readonly state: ServingState;
  /**
   * A scope for one request. Its `reads` must be ended, whatever comes of the request.
   * mayReadAlone: the request is begun anew when it fails with `SnapshotMoved`.
   */
  openScope(
    timeoutSeconds: number | null,
    asked: AskedFor,
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
    onLostConnection: (error) => log.warn({ err: error }, 'a database connection was lost'),
    onLostStatements: (url, err) =>
      log.warn({ database: describeDatabase(url), err }, LOST_STATEMENTS),
  });
  const directory = new NodeDirectory();
  const memory = openMemory(settings, onWork);
  const variable = options.variable ?? ((name: string) => process.env[name]);
  const merging = new MergingTally();
  const state = new ServingState();
  const retention = new RetentionTally();
  const nodeNameOf = nodeNamer(pools.primaryUrl, directory, variable);
  const { databaseRestarts = () => 0 } = options;
  registerState(metrics.registry, {
    pools,
    nodeNameOf,
    memory,
    merging,
    retention,
    state,
    databaseRestarts,
  });
  const noteSlow = slowLog(settings.slowMs, metrics);
  return {
    settings,
    log,
    pools,
    memory,
    metrics,
    tracing,
    merging,
    retention,
    state,
    documents: options.documents ?? new Map(),
    pageDocuments: options.pageDocuments ?? new Map(),
    openScope: (timeoutSeconds, asked, { mayReadAlone } = { mayReadAlone: false }) => ({
      ...{ settings, directory, variable, gate: asked.gate },
      budget: new AnswerBudget(settings.answerValues),
      reads: new RequestReads({
        ...{ pools, memory, timeoutSeconds, mayReadAlone },
        now: Math.floor(clock() / 1000),
        ...{ signal: asked.signal, requestId: asked.current.requestId },
        isCrowded: () => asked.gate.isCrowded,
        onPlan(plan) {
          if (log.isLevelEnabled('debug')) asked.log.debug({ plan }, 'a topper was planned');
        },
        onIdentified(username) {
          asked.current.user = username;
        },
        onEnd: (ms, plans) => noteSlow(asked, ms, plans),
      }),
    }),
    async close() {
      await Promise.all([pools.close(), memory.threadPool.close()]);
    },
  };
}

function openMemory(settings: Settings, onWork: WorkObserver): ServiceMemory {
  const { workers, workerQueue: queueLength } = settings;
  return new ServiceMemory(new ThreadPool({ workers, queueLength, onWork }), {
    segmentBytes: settings.blockCacheBytes,
    answerBytes: settings.answerCacheBytes,
    responseBytes: settings.responseCacheBytes,
  });
}
