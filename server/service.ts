import { NodePools, type StatementObserver } from '../db/node-pools.ts';
import { RequestReads } from '../resolvers/loaders/request-reads.ts';
import { ServiceMemory } from '../resolvers/loaders/service-memory.ts';
import type { LogInGate } from '../resolvers/log-in-gate.ts';
import { NodeDirectory } from '../resolvers/node-directory.ts';
import type { AnonymousScope } from '../resolvers/request-scope.ts';
import { Kernel } from '../topk/kernel.ts';
import type { TrustedDocuments } from './documents.ts';
import type { Logger } from './log.ts';
import type { Settings } from './settings.ts';

export type ServiceOptions = {
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly onStatement?: StatementObserver;
  /** GraphQL documents that were known beforehand. */
  readonly documents?: TrustedDocuments;
  /** Where a node's url_env is looked up. */
  readonly variable?: (name: string) => string | undefined;
};

export type Service = {
  readonly settings: Settings;
  readonly log: Logger;
  readonly pools: NodePools;
  readonly documents: TrustedDocuments;
  /** What is remembered between requests. */
  readonly memory: ServiceMemory;
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
  const { settings, log, databaseUrl, onStatement, clock = Date.now } = options;
  const pools = new NodePools({
    primaryUrl: databaseUrl,
    ...(onStatement && { onStatement }),
    onLostConnection: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  const directory = new NodeDirectory();
  const kernel = new Kernel({ workers: settings.workers, queueLength: settings.workerQueue });
  const memory = new ServiceMemory(kernel, {
    unpackedBytes: settings.blockCacheBytes,
    answerBytes: settings.answerCacheBytes,
  });
  const variable = options.variable ?? ((name: string) => process.env[name]);
  return {
    ...{ settings, log, pools, memory, documents: options.documents ?? new Map() },
    openScope: (timeoutSeconds, { signal, gate }, { mayReadAlone } = { mayReadAlone: false }) => ({
      ...{ settings, directory, variable, gate },
      reads: new RequestReads({
        ...{ pools, memory, timeoutSeconds, signal, mayReadAlone },
        onPlan: (plan) => log.debug({ plan }, 'a topper was planned'),
      }),
      now: Math.floor(clock() / 1000),
    }),
    async close() {
      await Promise.all([pools.close(), kernel.close()]);
    },
  };
}
