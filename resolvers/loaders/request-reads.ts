import type { Connection } from '../../db/connection/connection.ts';
import { isPast, timedOut, within } from '../../db/session/deadline.ts';
import { inChange } from '../../db/session/in-change.ts';
import { pagesBeside } from '../../db/session/pages-beside.ts';
import {
  type Deadline,
  ReadSession,
  type ReadSessionOptions,
  type RetryRequest,
} from '../../db/session/read-session.ts';
import { AnswerPostponed } from '../../db/session/snapshot-check.ts';
import { selectContextExists } from '../../db/sql/catalog.ts';
import { type Claim, type IdentityRow, selectIdentity } from '../../db/sql/identity.ts';
import type { VersionedRow } from '../../db/sql/versions.ts';
import { ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { WorkObserver } from '../../domain/work-observer.ts';
import { type Rendered, settledBefore } from '../../engine/cache/response-cache.ts';
import type { KernelCaller } from '../../engine/kernel/threads/worker-threads.ts';
import type { PlanNote } from '../../engine/plan/plan-note.ts';
import { BatchGate } from '../../engine/snapshot/batch.ts';
import { NodeReader, type OnFilter } from '../../engine/snapshot/node-reader.ts';
import { isVersioned, RequestSession } from '../../engine/snapshot/request-session.ts';
import { type SharedNode, StandbyChoice } from '../../engine/snapshot/standby-choice.ts';
import { CallerLimits } from './caller-limits.ts';
import { createNodeLoaders, type NodeLoaders } from './node-loaders.ts';
import type { RequestReadsOptions } from './request-reads-options.ts';

export { type Deadline, PagesGone, RetryRequest } from '../../db/session/read-session.ts';
export { AnswerPostponed } from '../../db/session/snapshot-check.ts';
export type {
  Claim,
  IdentityRow,
  NodeRow,
  PageClaim,
  SessionClaim,
  TokenClaim,
} from '../../db/sql/identity.ts';
export { tokenDigest } from '../../db/token-digest.ts';
export type { Rendered } from '../../engine/cache/response-cache.ts';
export type { PlanNote } from '../../engine/plan/plan-note.ts';
export type { SharedNode } from '../../engine/snapshot/standby-choice.ts';

const MIN_ATTEMPT_MS = 1_000;

/** Everything one request reads: a session, a snapshot and loaders for each node it touches. */
export class RequestReads {
  readonly #options: RequestReadsOptions;
  readonly #readers = new Map<string, NodeReader>();
  readonly #loaders = new Map<string, NodeLoaders>();
  readonly #choice: StandbyChoice;
  /** The nodes that this request must not read, and the error that says why. */
  readonly #refusals = new Map<string, Error>();
  #ended = false;
  #isUncacheable = false;
  #databaseNow: EpochSeconds | null = null;
  #postponed: AnswerPostponed | null = null;
  readonly #limits = new CallerLimits();
  /** How long the request waited for nodes that did not identify the caller. */
  #silentMs = 0;
  readonly #plans: (() => PlanNote)[] = [];
  readonly batches = new BatchGate();
  /** null: filters have no price. */
  onFilter: OnFilter | null = null;
  /** Called with the number of keys that a topper lists, before their texts are read. */
  onListed: (keys: number) => void = () => undefined;
  /** The user is known once the caller is identified. */
  readonly #caller: Omit<KernelCaller, 'user'> & { user: string };

  constructor(options: RequestReadsOptions) {
    this.#options = options;
    const { standbys, mayShare, signal } = options;
    this.#caller = { user: '', signal };
    this.#choice = new StandbyChoice({
      standbys,
      mayShare,
      primaryUrl: this.primaryUrl,
      sessionAt: (url) => this.#sessionOptions(url),
    });
  }

  /**
   * Returns when the request arrived. An answer that depends on it is valid only at that moment.
   */
  now(): EpochSeconds {
    this.markUncacheable();
    return this.#options.now;
  }

  /** The clock of the database that identified the caller. */
  get databaseNow(): EpochSeconds {
    if (this.#databaseNow !== null) return this.#databaseNow;
    throw new Error('the caller is not identified yet');
  }

  /** Notes that the answer depends on more than the data of contexts at their versions. */
  markUncacheable(): void {
    this.#isUncacheable = true;
  }

  /**
   * Returns the answer of `make`, or a cached answer of the same name if its contexts are still at
   * the same versions. Identify the caller first: that reads these versions, and a caller without
   * access never gets as far as looking up a name.
   */
  async remembered(name: string, make: () => Promise<Rendered>): Promise<Rendered> {
    const { responses } = this.#options.memory;
    const primary = this.#reader(this.primaryUrl);
    const find = () => responses.find(name, (contextId) => primary.knownVersions(contextId));
    for (;;) {
      const found = find();
      if (found) return found;
      const underway = responses.underway(name);
      // A request that waits must not hold a connection that running requests may need.
      if (underway === null || !primary.session.releaseIdle()) break;
      // If that produced no cached answer, one of the waiting requests makes it next.
      if (!(await settledBefore(this.#options.signal, underway))) break;
    }
    return responses.make(name, async () => {
      const rendered = await make();
      const isLasting = !this.#isUncacheable && !this.mustRetry && primary.isOneSnapshot;
      return { rendered, validAt: isLasting ? primary.validAt : null };
    });
  }

  /** The same for the caller: plans are of all segments, whatever may be seen of them. */
  get ownPlans(): readonly PlanNote[] {
    return this.#limits.areLimited ? [] : this.plans;
  }

  /** How the request's toppers were answered so far. */
  get plans(): readonly PlanNote[] {
    return this.#plans.map((plan) => plan());
  }

  get primaryUrl(): string {
    return this.#options.pools.primaryUrl;
  }

  /** Why everything read so far is invalid; null if it is valid. */
  get moved(): RetryRequest | null {
    const sessions = Array.from(this.#readers.values(), ({ session }) => session);
    return this.#postponed ?? sessions.find(({ moved }) => moved !== null)?.moved ?? null;
  }

  /** Gives the request up for now: its answer must not take more memory. */
  postpone(): never {
    this.#postponed = new AnswerPostponed();
    throw this.#postponed;
  }

  get mustRetry(): boolean {
    return this.moved !== null;
  }

  /**
   * Returns the time limit of a part of the request, which may run until `seconds` after the
   * request's start. What the request waited for a silent node does not count: it must be possible
   * to answer from another node within any limit.
   */
  deadlineIn(seconds: number): Deadline {
    return { seconds, until: this.#options.startedAt + this.#silentMs + seconds * 1000 };
  }

  /** Settles as `work` does, or fails once `seconds` have passed since the request's start. */
  within<T>(seconds: number, work: Promise<T>): Promise<T> {
    return within(work, this.deadlineIn(seconds));
  }

  at(nodeUrl: string): NodeLoaders {
    const known = this.#loaders.get(nodeUrl);
    if (known) return known;
    const loaders = createNodeLoaders(this.#reader(nodeUrl));
    this.#loaders.set(nodeUrl, loaders);
    return loaders;
  }

  get onWork(): WorkObserver {
    return this.#options.pools.onWork;
  }

  noteIdentity(username: string): void {
    this.#caller.user = username;
    this.#options.onIdentified?.(username);
  }

  /**
   * Returns the time limit of an attempt that leaves the request time for another one. It is at
   * least a second: a caller must not be able to have a slow primary overruled by a short limit.
   */
  deadlineOfAttempt(): Deadline {
    const now = performance.now();
    const own = this.deadline;
    const half = own ? Math.max(MIN_ATTEMPT_MS, (own.until - now) / 2) : Number.POSITIVE_INFINITY;
    const ms = Math.min(LIMITS.connectTimeoutMs, half);
    return { seconds: ms / 1000, until: now + ms };
  }

  /** Whether the primary was silent a moment ago: waiting for it again would be in vain. */
  get isPrimarySilent(): boolean {
    return this.#options.pools.silentPrimary.isSilent;
  }

  /**
   * Makes all reads of a node fail. It did not identify the caller, and what another node knows
   * about the caller gives no access to its data.
   */
  refuse(nodeUrl: string, error: Error): void {
    this.#refusals.set(nodeUrl, error);
    void this.release(nodeUrl);
  }

  /** Error: the one given to `refuse`. */
  requireReadable(nodeUrl: string): void {
    const refusal = this.#refusals.get(nodeUrl);
    if (refusal) throw refusal;
  }

  /** Returns the time limit of the whole request. */
  get deadline(): Deadline | null {
    const { timeoutSeconds: seconds, startedAt } = this.#options;
    return seconds === null ? null : { seconds, until: startedAt + seconds * 1000 };
  }

  /** Errors: the request's time limit has passed, or its caller has gone. */
  requireTime(): void {
    this.#options.signal.throwIfAborted();
    const deadline = this.deadline;
    if (isPast(deadline)) throw timedOut(deadline);
  }

  /**
   * Reads the user and their grants from this node, and slices if the claim names a context. With a
   * deadline, another node is asked next: the request does not wait until a late statement is
   * cancelled, and the time that this attempt took is not part of its time limits.
   */
  async identity(
    nodeUrl: string,
    claim: Claim,
    deadline: Deadline | null,
  ): Promise<IdentityRow | null> {
    const reader = this.#reader(nodeUrl);
    const { requestId = null, pools } = this.#options;
    const { silentPrimary } = pools;
    const isPrimary = nodeUrl === this.primaryUrl;
    const startedAt = performance.now();
    const reading = selectIdentity(reader.session, { ...claim, requestId }, deadline);
    const row = await within(reading, deadline).catch((error: unknown) => {
      const waitedMs = performance.now() - startedAt;
      if (deadline) this.#silentMs += waitedMs;
      if (deadline && isPrimary && waitedMs >= MIN_ATTEMPT_MS) silentPrimary.markSuspect();
      const isLate = error instanceof ServiceError && error.kind === 'timeout';
      // What it has not answered is cancelled in the background.
      if (deadline && isLate) void this.release(nodeUrl);
      throw error;
    });
    if (isPrimary) silentPrimary.markReachable();
    if (row) this.#databaseNow = row.now;
    const contexts = row?.contexts ?? [];
    reader.noteVersions(contexts);
    this.#limits.note(nodeUrl, contexts);
    if (isPrimary) this.#choice.noteGranted(contexts);
    for (const { slices, ...context } of contexts) {
      if (!slices) continue;
      // The rest of the row is valid as long as the versions are the same; slices are not.
      this.markUncacheable();
      this.at(nodeUrl).noteSlices({ ...context, ...slices });
    }
    return row;
  }

  /** Cancels what a node has not answered, and releases its connection. */
  async release(nodeUrl: string): Promise<void> {
    const reader = this.#readers.get(nodeUrl);
    this.#readers.delete(nodeUrl);
    this.#loaders.delete(nodeUrl);
    await reader?.session.end();
  }

  /**
   * Notes that the request reads a context without naming another node than the primary. Any of
   * `nodes` may answer in place of the primary; empty if the request names the primary.
   */
  view(contextId: number, nodes: readonly SharedNode[]): void {
    this.#choice.view(contextId, nodes);
  }

  /** Returns the versions of a granted context on the primary; null if they are not known. */
  grantedAt(contextId: number): VersionedRow | null {
    return this.#choice.grantedAt(contextId);
  }

  /** Whether a standby may answer for a context in place of the primary. */
  isShared(contextId: number): boolean {
    return this.#choice.isShared(contextId);
  }

  /** Returns the name of the standby that answers for a context instead of the primary, or null. */
  async standbyFor(contextId: number): Promise<string | null> {
    // Another node may answer the next request.
    this.markUncacheable();
    const standby = this.#reader(this.primaryUrl).session.standby();
    if (!standby) return null;
    await standby.begin();
    return this.#choice.nameFor(contextId);
  }

  contextExists(nodeUrl: string, name: string): Promise<boolean> {
    return selectContextExists(this.#reader(nodeUrl).session, name);
  }

  /**
   * Changes the primary in one transaction. Later reads of the request go to the primary in a new
   * snapshot: neither the old snapshot nor a standby has the change. `name`: see ChangeOptions.
   */
  async change<T>(name: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#forget();
    return inChange({ ...this.#sessionOptions(this.primaryUrl), name }, work);
  }

  /** Releases all connections: a request that holds one must not wait for another. */
  async #forget(): Promise<void> {
    this.markUncacheable();
    const readers = [...this.#readers.values()];
    this.#readers.clear();
    this.#loaders.clear();
    this.#choice.keepToPrimary();
    await Promise.all(readers.map(({ session }) => session.end()));
  }

  /** Releases the connections. Call it once the answer is made, even if the request failed. */
  async end(): Promise<void> {
    await Promise.all([...this.#readers.values()].map(({ session }) => session.end()));
    if (this.#ended) return;
    this.#ended = true;
    this.#choice.end();
    this.#options.onEnd?.(performance.now() - this.#options.startedAt, () => this.plans);
  }

  #reader(nodeUrl: string): NodeReader {
    const known = this.#readers.get(nodeUrl);
    if (known) return known;
    const { memory, mayReadAlone } = this.#options;
    if (nodeUrl !== this.primaryUrl) this.markUncacheable();
    const options = { ...this.#sessionOptions(nodeUrl), mayReadAlone };
    const home = new ReadSession(options);
    const choose = () => this.#choice.open(home.isConnected ? 1 : 0);
    const session = new RequestSession(home, nodeUrl === this.primaryUrl ? choose : () => null);
    const reader = new NodeReader({
      session,
      placement: options.pool.placement,
      distributedPages: pagesBeside(options),
      nodeUrl,
      memory,
      caller: this.#caller,
      limitOf: (contextId) => (this.#options.seesAll ? null : this.#limits.of(nodeUrl, contextId)),
      databaseNow: () => this.databaseNow,
      onFilter: (...work) => this.onFilter?.(...work),
      onListed: (keys) => this.onListed(keys),
      deadline: options.deadline,
      requestId: options.requestId,
      batches: this.batches,
      onPlan: (plan) => {
        this.#plans.push(plan);
        this.#options.onPlan(plan);
      },
    });
    this.#readers.set(nodeUrl, reader);
    return reader;
  }

  #sessionOptions(nodeUrl: string): SessionOptions {
    const { pools, signal, requestId = null } = this.#options;
    return {
      refusal: this.#refusals.get(nodeUrl) ?? null,
      pool: pools.at(nodeUrl),
      onStatement: pools.onStatement,
      onWork: (kind, name) => {
        if (kind === 'statement' && !isVersioned(name)) this.markUncacheable();
        return pools.onWork(kind, name);
      },
      requestId,
      deadline: this.deadline,
      signal,
    };
  }
}

type SessionOptions = Omit<ReadSessionOptions, 'mayReadAlone' | 'requestId'> & {
  readonly requestId: string | null;
};
