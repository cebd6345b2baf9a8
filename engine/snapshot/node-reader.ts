import DataLoader from 'dataloader';
import type { PagePlacement } from '../../db/page-placement.ts';
import type { CopySource, PageSource } from '../../db/session/copy-source.ts';
import { type Deadline, isPast, timedOut } from '../../db/session/deadline.ts';
import { PagesGone, RetryRequest } from '../../db/session/read-session.ts';
import { StandbyRejected } from '../../db/session/snapshot-check.ts';
import { type CatalogRow, selectCatalogs } from '../../db/sql/catalog.ts';
import { type NamedVersionsRow, selectVersions, type VersionsRow } from '../../db/sql/versions.ts';
import type { ContextLimit } from '../../domain/callers/grant-limit.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { type FetchedPages, fetchPages, type PageRequest } from '../../store/read/fetch-pages.ts';
import { loadManifest, type Manifest } from '../../store/read/manifest.ts';
import { MissingPages } from '../../store/read/missing-pages.ts';
import type { ManifestOwner } from '../cache/service-cache.ts';
import { contextCacheKey, type ServiceCache } from '../cache/service-cache.ts';
import type { KernelCaller } from '../kernel/threads/worker-threads.ts';
import { type Catalog, openCatalog } from '../plan/catalog.ts';
import { limitCatalog, type OpenLimit } from '../plan/context-limit.ts';
import type { TellPlan } from '../plan/plan-note.ts';
import type { BatchGate } from './batch.ts';
import { byDeadline } from './batch.ts';
import { pause, yieldToEventLoop } from './event-loop-scheduler.ts';
import type { RequestSession } from './request-session.ts';
import type { SegmentReader } from './segment-reader.ts';

/** A context at the version in a snapshot. */
export type ContextState = {
  readonly contextId: number;
  /** null: the context has not reached the standby yet. */
  readonly name: string | null;
  /** Names the context and, if the caller may not see all of it, the limit. */
  readonly memoryKey: string;
  /** Names the context. */
  readonly contextKey: string;
  readonly versions: VersionsRow;
  /** With what of the context the caller may see. */
  readonly catalog: Catalog;
  /** null: the caller may see all of it. */
  readonly limit: OpenLimit | null;
  /** ReadSession.snapshot when this was read. */
  readonly snapshot: number;
};

/**
 * Called before keys are matched with patterns, with the number of keys and of the patterns'
 * instructions. Errors: the operation must not cost that much.
 */
export type OnFilter = (keys: number, instructions: number) => void;

type NodeReaderOptions = {
  readonly session: RequestSession;
  /** Whether the node's pages are distributed; `distributedPages` reads them if so. */
  readonly placement: PagePlacement;
  readonly distributedPages: PageSource;
  readonly nodeUrl: string;
  readonly memory: ServiceCache;
  readonly caller: KernelCaller;
  /** Returns what of a context the caller may see. Errors: nobody is known to read it. */
  readonly limitOf: (contextId: number) => ContextLimit;
  /** See RequestReads. */
  readonly databaseNow: () => EpochSeconds;
  readonly onFilter: OnFilter;
  /** See RequestReads. */
  readonly onListed: (keys: number) => void;
  /** Time limit of all work of the request; null: no limit. */
  readonly deadline: Deadline | null;
  readonly requestId: string | null;
  readonly batches: BatchGate;
  /** Called with how each topper is answered. */
  readonly onPlan: TellPlan;
};

/** Keys whose work takes a millisecond or so. */
const KEYS_AT_ONCE = 500;

type PagesWanted = {
  readonly requests: readonly PageRequest[];
  readonly deadline: Deadline | null;
};

/**
 * One request's reads on one node: from its session, and from cached data that are still valid in
 * the session's snapshot.
 */
export class NodeReader {
  readonly session: RequestSession;
  readonly memory: ServiceCache;
  readonly caller: KernelCaller;
  readonly onListed: (keys: number) => void;
  readonly onFilter: OnFilter;
  readonly limitOf: NodeReaderOptions['limitOf'];
  readonly databaseNow: () => EpochSeconds;
  readonly requestId: string | null;
  /** When a batch of loads is read: DataLoader's `batchScheduleFn`. */
  readonly batchScheduleFn: (dispatch: () => void) => void;
  readonly #batches: BatchGate;
  /** Number of keys that the request has worked on since it last gave way. */
  #keys = 0;
  readonly onPlan: TellPlan;
  /** Reads the segments of the request's manifests. Errors: those of the database. */
  readonly segments: SegmentReader;
  readonly deadline: Deadline | null;
  readonly #nodeUrl: string;
  readonly #pages: CopySource;
  /** The snapshot of the following fields; a new one begins after a failed statement. */
  #snapshot = -1;
  #versions = new Map<number, NamedVersionsRow>();
  #contexts = this.#contextLoader();
  #manifests = this.#manifestLoader();
  /** The contexts that were read, at the versions at which they were read. */
  readonly #readAt = new Map<number, VersionsRow>();

  constructor(options: NodeReaderOptions) {
    const { session, nodeUrl, memory, caller, deadline, requestId, onPlan } = options;
    this.requestId = requestId;
    this.#batches = options.batches;
    this.batchScheduleFn = options.batches.schedule;
    this.onPlan = onPlan;
    this.session = session;
    this.memory = memory;
    this.caller = caller;
    this.onFilter = options.onFilter;
    this.limitOf = options.limitOf;
    this.databaseNow = options.databaseNow;
    this.onListed = options.onListed;
    this.deadline = deadline;
    this.#nodeUrl = nodeUrl;
    const { placement, distributedPages } = options;
    this.#pages = {
      copy: (copy, within) => session.copy(copy, within),
      get distributedPages() {
        return placement.isDistributed ? distributedPages : null;
      },
    };
    this.segments = this.#openSegments();
  }

  /**
   * Lets other requests continue if it is time. Await it repeatedly during long work of this
   * process. Errors: the request's time limit has passed, or its caller has gone.
   */
  pause(): Promise<void> | undefined {
    this.#check();
    return pause();
  }

  /**
   * Await it for each of many keys whose work comes before loads: others run after each few hundred
   * keys of the request. They are counted rather than timed, so that the same operation always
   * reads in the same batches. Errors: those of `pause`.
   */
  afterKeys(count: number): Promise<void> | undefined {
    this.#keys += count;
    if (this.#keys < KEYS_AT_ONCE) return undefined;
    this.#keys = 0;
    this.#check();
    return this.#batches.giveWay();
  }

  /** Yields before long work that cannot pause. Errors: the same. */
  async yieldToEventLoop(): Promise<void> {
    await yieldToEventLoop();
    this.#check();
  }

  #check(): void {
    this.caller.signal.throwIfAborted();
    if (isPast(this.deadline)) throw timedOut(this.deadline);
  }

  /** Takes versions that a statement of this session has read. */
  noteVersions(rows: readonly NamedVersionsRow[]): void {
    this.#followSnapshot();
    this.#keepVersions(this.#versions, rows);
  }

  #keepVersions(known: Map<number, NamedVersionsRow>, rows: readonly NamedVersionsRow[]): void {
    for (const row of rows) {
      known.set(row.contextId, row);
      if (!this.session.usesStandby) this.memory.noteHistory(this.#nodeUrl, row.history);
    }
  }

  /** Returns the versions of a context; undefined if they have not been read. */
  knownVersions(contextId: number): VersionsRow | undefined {
    this.#followSnapshot();
    return this.#versions.get(contextId);
  }

  /** Whether all data read so far are of one snapshot. */
  get isOneSnapshot(): boolean {
    return this.session.snapshot === 0;
  }

  /** Whether Citus has distributed the node's pages. */
  get arePagesDistributed(): boolean {
    return this.#pages.distributedPages != null;
  }

  /** The versions of the contexts that were read. */
  get validAt(): readonly VersionsRow[] {
    return [...this.#readAt.values()];
  }

  /** Returns the state of a context. Errors: those of the database. */
  async context(contextId: number): Promise<ContextState> {
    this.#followSnapshot();
    return this.#contexts.load(contextId);
  }

  #followSnapshot(): void {
    if (this.#snapshot === this.session.snapshot) return;
    this.#snapshot = this.session.snapshot;
    this.#versions = new Map();
    this.#contexts = this.#contextLoader();
    this.#manifests = this.#manifestLoader();
  }

  /** Returns the manifest of a context. Errors: those of the database. */
  async manifest(contextId: number): Promise<Manifest> {
    this.#followSnapshot();
    return this.#manifests.load(contextId);
  }

  #manifestLoader(): DataLoader<number, Manifest> {
    return new DataLoader((ids) => Promise.all(ids.map((id) => this.#findManifest(id))));
  }

  async #findManifest(contextId: number): Promise<Manifest> {
    const { manifests } = this.memory;
    const { versions } = await this.context(contextId);
    return manifests.find(this.#ownerOf(versions), versions) ?? this.#readManifest(versions);
  }

  async #readManifest(versions: VersionsRow): Promise<Manifest> {
    const { manifests } = this.memory;
    const { contextId, version, layout } = versions;
    const owner = await this.#ownerHere(versions);
    const since = manifests.newest(owner);
    if (since?.layout === layout && since.version === version) return since;
    const loaded = await loadManifest(this.session, { contextId, since }, null);
    manifests.tally.count(0, 1);
    if (!loaded) return { ...NOTHING_STORED, contextId };
    manifests.keep(owner, loaded);
    return loaded;
  }

  #ownerOf(versions: VersionsRow): ManifestOwner {
    return { name: this.#keyOf(versions), history: versions.history };
  }

  /**
   * Returns whose manifests are read now. A standby may have commits of merges that the primary has
   * lost. Its changes of segments then do not continue the primary's.
   */
  async #ownerHere(versions: VersionsRow): Promise<ManifestOwner> {
    const owner = this.#ownerOf(versions);
    const standby = this.session.standby();
    if (!standby) return owner;
    await standby.begin();
    return { name: `${owner.name} ${standby.url}`, history: standby.history ?? '' };
  }

  #openSegments(): SegmentReader {
    const { memory, caller } = this;
    /** Pages that are requested at the same moment are read by one statement. */
    const pages = new DataLoader<PagesWanted, FetchedPages>(
      (wanted) =>
        byDeadline(wanted, async (batch, deadline) => {
          const fetched = await this.#fetch(
            batch.flatMap(({ requests }) => requests),
            deadline,
          );
          return batch.map(() => fetched);
        }),
      { cache: false, batchScheduleFn: this.batchScheduleFn },
    );
    return {
      node: this.#nodeUrl,
      memory: memory.segments,
      threadPool: memory.threadPool,
      caller,
      pause: () => this.pause(),
      afterKeys: (count) => this.afterKeys(count),
      yieldToEventLoop: () => this.yieldToEventLoop(),
      fetch: async (requests, deadline) =>
        requests.length === 0 ? new Map() : pages.load({ requests, deadline }),
    };
  }

  /** Fetches pages. Errors: PagesGone or StandbyRejected: the request retries from the start. */
  async #fetch(requests: readonly PageRequest[], deadline: Deadline | null): Promise<FetchedPages> {
    try {
      return await fetchPages(this.#pages, requests, deadline);
    } catch (error) {
      // Thrown by a read on another connection, so the session does not know yet.
      if (error instanceof RetryRequest) this.session.fail(error);
      if (!(error instanceof MissingPages)) throw error;
      // The manifest may be newer than the standby's data; for the primary it is still valid.
      if (this.session.usesStandby) return this.session.fail(new StandbyRejected('behind', error));
      for (const row of this.validAt) this.memory.manifests.forget(this.#ownerOf(row));
      return this.session.fail(new PagesGone(error));
    }
  }

  #contextLoader(): DataLoader<number, ContextState> {
    return new DataLoader(async (ids) => {
      for (;;) {
        this.#followSnapshot();
        const { snapshot } = this.session;
        const versions = await this.#versionsOf(ids);
        const catalogs = await this.#catalogsOf(versions);
        // Another statement failed meanwhile, so earlier rows are of a snapshot that is gone.
        if (this.session.snapshot !== snapshot) continue;
        return ids.map((contextId) => this.#stateOf(contextId, versions, catalogs));
      }
    });
  }

  /** Returns the state of a context; it is empty if the context has not reached the standby yet. */
  #stateOf(
    contextId: number,
    versions: readonly NamedVersionsRow[],
    catalogs: ReadonlyMap<number, CatalogRow>,
  ): ContextState {
    const nothing = { contextId, name: null, version: 0, textVersion: 0, layout: 0, history: '' };
    const found = versions.find((row) => row.contextId === contextId) ?? nothing;
    const key = this.#keyOf(found);
    const row = catalogs.get(contextId);
    const catalog =
      this.memory.catalog(key, found.version) ?? openCatalog(row ?? EMPTY, found.version);
    if (row) this.memory.keepCatalog(key, catalog);
    const { snapshot } = this.session;
    this.#readAt.set(contextId, found);
    const common = { contextId, name: found.name, contextKey: key, versions: found, snapshot };
    const limit = this.limitOf(contextId);
    if (limit === null) return { ...common, memoryKey: key, catalog, limit };
    const own = limitCatalog(catalog, limit);
    return { ...common, ...own, memoryKey: `${key} ${own.limit.name}` };
  }

  async #versionsOf(ids: readonly number[]): Promise<NamedVersionsRow[]> {
    const known = this.#versions;
    const unknown = ids.filter((id) => !known.has(id));
    const rows = unknown.length > 0 ? await selectVersions(this.session, unknown, null) : [];
    this.#keepVersions(known, rows);
    return ids.flatMap((id) => known.get(id) ?? []);
  }

  /** Reads the catalogs that are not cached. */
  async #catalogsOf(versions: readonly VersionsRow[]): Promise<Map<number, CatalogRow>> {
    const unknown = versions.filter((row) => !this.memory.catalog(this.#keyOf(row), row.version));
    this.memory.catalogTally.count(versions.length - unknown.length, unknown.length);
    const [only] = unknown;
    if (!only) return new Map();
    // Most requests about one context need its manifest next. Its COPY begins the transaction
    // without a round trip.
    if (unknown.length === 1) await this.#readManifest(only);
    const ids = unknown.map(({ contextId }) => contextId);
    const rows = await selectCatalogs(this.session, ids, null);
    return new Map(rows.map((row) => [row.contextId, row]));
  }

  #keyOf(versions: VersionsRow): string {
    return contextCacheKey(this.#nodeUrl, versions);
  }
}

const NOTHING_STORED: Omit<Manifest, 'contextId'> = {
  version: 0,
  layout: 0,
  segments: new Map(),
  rollUps: new Map(),
};

const EMPTY: CatalogRow = {
  contextId: 0,
  sliceSeconds: 86_400,
  groups: [],
  meters: [],
  probes: [],
  slices: [],
  coverage: [],
};
