import { LOST_STATEMENTS } from '../../db/connection/pooler.ts';
import { describeDatabase } from '../../db/describe-database.ts';
import { NodePools, type StatementObserver } from '../../db/session/node-pools.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { joinObservers, type WorkObserver } from '../../domain/work-observer.ts';
import { ServiceCache } from '../../engine/cache/service-cache.ts';
import { ThreadPool } from '../../engine/kernel/threads/thread-pool.ts';
import { Standbys } from '../../engine/snapshot/standbys.ts';
import type { LoginThrottle } from '../../resolvers/callers/login-throttle.ts';
import { RequestReads } from '../../resolvers/loaders/request-reads.ts';
import { NodeDirectory } from '../../resolvers/node-directory.ts';
import { nodeNamer } from '../../resolvers/nodes.ts';
import type { AnonymousScope, PageSession } from '../../resolvers/request-scope.ts';
import { ChosenTokens } from '../admission/chosen-tokens.ts';
import { FailedSignIns } from '../admission/failed-sign-ins.ts';
import type { LoginFailures } from '../admission/login-failures.ts';
import { TokenUses } from '../admission/token-uses.ts';
import type { UnreadAnswer } from '../connections/unread-answers.ts';
import type { Settings } from '../settings/settings.ts';
import { auditChange } from '../telemetry/audit.ts';
import { FailureLog, type Logger, slowLog } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { programVersion } from '../telemetry/program-version.ts';
import type { CurrentRequest, Tracing } from '../telemetry/tracing.ts';
import { registerState } from './state-metrics.ts';

/** GraphQL documents known when the server starts, by hash. */
export type TrustedDocuments = ReadonlyMap<string, string>;

export type ServiceOptions = {
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly onStatement?: StatementObserver;
  /** Trusted GraphQL documents. */
  readonly documents?: TrustedDocuments;
  /** The GraphQL documents of the dashboard. */
  readonly pageDocuments?: TrustedDocuments;
  /** null: nothing is traced. The code that opened it must close it. */
  readonly tracing?: Tracing | null;
  /** Number of connections for reading to each database node. */
  readonly poolConnections?: number;
  /** The other processes that serve at the same address; null: there are none. */
  readonly siblings?: Siblings | null;
  /** Counts failed sign-ins for the audit. */
  readonly failedSignIns?: FailedSignIns;
  /** Notes when tokens are used. */
  readonly tokenUses?: TokenUses;
  /** Where a node's url_env is looked up. */
  readonly variable?: (name: string) => string | undefined;
};

/** The request that a scope is for. */
export type ScopeRequest = {
  readonly signal: AbortSignal;
  readonly throttle: LoginThrottle;
  readonly current: CurrentRequest;
  readonly log: Logger;
  /** Who uses the page that sent it; left out: nobody, or they are known otherwise. */
  readonly session?: PageSession | null;
  /** When the request arrived, on the clock of `performance.now()`; now if left out. */
  readonly arrivedAt?: number;
  /** The bytes of the answer that the caller has not taken; left out: they are not bounded. */
  readonly unread?: Pick<UnreadAnswer, 'grow'>;
  /** Waits until readers have taken so much that the answer may be rendered, whatever its size. */
  readonly waitForReaders?: (signal: AbortSignal) => Promise<void>;
};

/** When a request arrived, in epoch seconds and on the clock of `performance.now()`. */
export type Arrival = {
  readonly now: EpochSeconds;
  readonly startedAt: number;
  /** What the request has already changed, in whichever attempt. */
  readonly committed: Map<string, unknown>;
};

/** One of the attempts to answer a request. */
type Attempt = {
  readonly arrival: Arrival;
  /** Whether the request is retried from the start if it fails with `RetryRequest`. */
  readonly mayRetry: boolean;
  /** What ends the request early (with-scope.ts). */
  readonly limit: {
    readonly signal: AbortSignal;
    /** Notes that not all that was begun is needed. */
    abandon(): void;
  };
};

export type Service = {
  readonly settings: Settings;
  readonly log: Logger;
  readonly pools: NodePools;
  readonly documents: TrustedDocuments;
  readonly pageDocuments: TrustedDocuments;
  /** The caches that are kept between requests. */
  readonly memory: ServiceCache;
  readonly metrics: Metrics;
  readonly failures: FailureLog;
  readonly tracing: Tracing | null;
  readonly siblings: Siblings | null;
  readonly failedSignIns: FailedSignIns;
  readonly tokenUses: TokenUses;
  readonly chosenTokens: ChosenTokens;
  readonly state: ServingState;
  /** Where a node's url_env is looked up. */
  readonly variable: (name: string) => string | undefined;
  /** Notes the arrival of a request. */
  arrive(at?: number): Arrival;
  /** Opens a scope for one request. Its `reads` must be ended, however the request ends. */
  openScope(timeoutSeconds: number | null, request: ScopeRequest, attempt: Attempt): AnonymousScope;
  close(): Promise<void>;
};

/** Creates what all requests share: connections, caches, and what is known about the nodes. */
export function createService(options: ServiceOptions): Service {
  const { settings, log, tracing = null, clock = Date.now, siblings = null } = options;
  const metrics = createMetrics(programVersion());
  const onWork = tracing ? joinObservers([metrics.onWork, tracing.onWork]) : metrics.onWork;
  const directory = siblings?.directory ?? new NodeDirectory();
  const memory = openMemory(settings, onWork);
  const variable = options.variable ?? ((name: string) => process.env[name]);
  const state = new ServingState();
  const nodeNameOf = nodeNamer(options.databaseUrl, directory, variable);
  const pools = openPools(options, onWork, nodeNameOf);
  const standbys = openStandbys(pools, log, nodeNameOf);
  registerState(metrics.registry, { pools, standbys, nodeNameOf, memory, state });
  const failures = new FailureLog(log);
  const chosenTokens = new ChosenTokens();
  const { tokenUses = new TokenUses() } = options;
  const noteSlow = slowLog(settings.slowMs, metrics);
  return {
    settings,
    log,
    pools,
    memory,
    metrics,
    failures,
    tracing,
    siblings,
    failedSignIns: options.failedSignIns ?? new FailedSignIns(),
    tokenUses,
    chosenTokens,
    state,
    variable,
    documents: options.documents ?? new Map(),
    pageDocuments: options.pageDocuments ?? new Map(),
    arrive: arrivalsBy(clock),
    openScope(timeoutSeconds, request, { arrival, mayRetry, limit }) {
      const { signal } = limit;
      const reads = new RequestReads({
        pools,
        standbys,
        memory,
        timeoutSeconds,
        now: arrival.now,
        startedAt: arrival.startedAt,
        mayReadAlone: mayRetry,
        mayShare: mayRetry,
        signal,
        requestId: request.current.requestId,
        onPlan(plan) {
          if (log.isLevelEnabled('debug'))
            request.log.debug({ plan: plan() }, 'a topper was planned');
        },
        onIdentified(username) {
          request.current.user = username;
        },
        onEnd: (ms, plans) => noteSlow(request, ms, plans),
      });
      return {
        settings,
        directory,
        variable,
        throttle: request.throttle,
        chosenTokens,
        tokenUses,
        signal,
        abandon: () => limit.abandon(),
        committed: arrival.committed,
        from: request.current.from,
        session: request.session ?? null,
        onChange: (change) => auditChange(request.log, metrics, change),
        onRendered: boundAnswer(reads, request),
        reads,
      };
    },
    async close() {
      failures.close();
      await Promise.all([pools.close(), memory.threadPool.close()]);
    },
  };
}

const arrivalsBy =
  (clock: () => number) =>
  (at = performance.now()): Arrival => ({
    now: Math.floor(clock() / 1000),
    startedAt: at,
    committed: new Map(),
  });

/** Bounds the bytes of an answer; returns a function to call with those that are rendered. */
function boundAnswer(reads: RequestReads, { unread }: ScopeRequest): (bytes: number) => void {
  let listedKeys = 0;
  let rendered = 0;
  const requireRoom = () => {
    const bytes = listedKeys * LIMITS.listedKeyBytes + rendered;
    if (unread?.grow(bytes) === false) reads.postpone();
  };
  reads.onListed = (keys) => {
    listedKeys += keys;
    requireRoom();
  };
  return (bytes) => {
    rendered = bytes;
    requireRoom();
  };
}

function openPools(
  { databaseUrl, poolConnections, log, onStatement }: ServiceOptions,
  onWork: WorkObserver,
  nodeNameOf: (url: string) => string,
): NodePools {
  return new NodePools({
    primaryUrl: databaseUrl,
    nodeNameOf,
    ...(poolConnections !== undefined && { connections: poolConnections }),
    ...(onStatement && { onStatement }),
    onWork,
    onLostConnection: (url, err) =>
      log.warn({ node: nodeNameOf(url), err }, 'a database connection was lost'),
    onLostStatements: (url, err) =>
      log.warn({ database: describeDatabase(url), err }, LOST_STATEMENTS),
    onUncheckedWorkers: (url, err) =>
      log.warn({ node: nodeNameOf(url), err }, 'the workers of Citus cannot be checked'),
  });
}

function openStandbys(
  pools: NodePools,
  log: Logger,
  nodeNameOf: (url: string) => string,
): Standbys {
  return new Standbys({
    pools,
    onPassedOver: (url, reason) =>
      log.warn(
        { node: nodeNameOf(url), database: describeDatabase(url), reason },
        'a shared standby is passed over, and the primary answers, until it can be used again',
      ),
    onUsedAgain: (url) => log.info({ node: nodeNameOf(url) }, 'a shared standby is used again'),
  });
}

function openMemory(settings: Settings, onWork: WorkObserver): ServiceCache {
  const { workers, workerQueue: queueLength } = settings;
  return new ServiceCache(new ThreadPool({ workers, queueLength, onWork }), {
    segmentBytes: settings.blockCacheBytes,
    answerBytes: settings.answerCacheBytes,
    responseBytes: settings.responseCacheBytes,
  });
}

/** Whether the server is closing. The code that closes it sets this first. */
class ServingState {
  #isClosing = false;

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Makes /readyz say that requests should go elsewhere; those that arrive are still answered. */
  beginToClose(): void {
    this.#isClosing = true;
  }
}

/** What a serving process shares with the others at the same address. */
export type Siblings = {
  /** Returns the metrics of all processes together. Errors: the parent does not answer. */
  metricsText(): Promise<string>;
  /** Returns a sentence that says how many processes serve; null: all do. */
  missing(): string | null;
  readonly loginFailures: LoginFailures;
  readonly directory: NodeDirectory;
};
