import type { NodePools } from '../../db/session/node-pools.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { ServiceCache } from '../../engine/cache/service-cache.ts';
import type { PlanNote, TellPlan } from '../../engine/plan/plan-note.ts';
import type { Standbys } from '../../engine/snapshot/standbys.ts';

export type RequestReadsOptions = {
  pools: NodePools;
  standbys: Standbys;
  /** When the request arrived; `startedAt` is on the clock of `performance.now()`. */
  now: EpochSeconds;
  startedAt: number;
  memory: ServiceCache;
  /** Whether the request can retry from the start if the data change (ReadSession.readAlone). */
  mayReadAlone: boolean;
  /** Whether it can retry from the start if the standby that it reads from is passed over. */
  mayShare: boolean;
  onPlan: TellPlan;
  /** Called with the user name once the caller is authenticated. */
  onIdentified?: (username: string) => void;
  /** Called once, when all data are read, with the time that the request has taken so far. */
  onEnd?: (ms: number, plans: () => readonly PlanNote[]) => void;
  /** Shown by PostgreSQL with the statements of the request. */
  requestId?: string | null;
  /** Time limit of the request, in seconds; null: no limit. */
  timeoutSeconds: number | null;
  /** Aborted when the caller has gone or the time limit has passed. */
  signal: AbortSignal;
  /** Whether it reads for the server itself, which may see everything; else a caller's limits hold. */
  readonly seesAll?: true;
};
