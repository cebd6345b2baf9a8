import DataLoader from 'dataloader';
import { type CatalogRow, selectCatalogs } from '../../db/queries/select-catalogs.ts';
import { selectVersions, type VersionsRow } from '../../db/queries/select-versions.ts';
import type { ReadSession } from '../../db/read-session.ts';
import { isPast, type TimeBound, timedOut } from '../../db/time-bound.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import type { PlanNote } from './plan-note.ts';
import { memoryKey, type ServiceMemory } from './service-memory.ts';
import { pause, takeTurn } from './turns.ts';

/** A context at the version that a snapshot shows. */
export type ContextState = {
  readonly contextId: number;
  readonly memoryKey: string;
  readonly versions: VersionsRow;
  readonly catalog: Catalog;
  /** ReadSession.snapshot when this was read. */
  readonly snapshot: number;
};

export type NodeReaderOptions = {
  readonly session: ReadSession;
  readonly nodeUrl: string;
  readonly memory: ServiceMemory;
  readonly signal: AbortSignal;
  /** Of all work of the request; null: there is none. */
  readonly bound: TimeBound | null;
  readonly requestId: string | null;
  /** Told how each topper is answered. */
  readonly onPlan: (plan: PlanNote) => void;
};

/**
 * One request's reads on one node: its session, and what is remembered from before that is still
 * true in the session's snapshot.
 */
export class NodeReader {
  readonly session: ReadSession;
  readonly memory: ServiceMemory;
  readonly signal: AbortSignal;
  readonly requestId: string | null;
  readonly onPlan: (plan: PlanNote) => void;
  readonly #bound: TimeBound | null;
  readonly #nodeUrl: string;
  /** Of which snapshot these are: a failed statement is followed by another one. */
  #snapshot = -1;
  #versions = new Map<number, VersionsRow>();
  #contexts = this.#contextLoader();
  /** The contexts that were asked for, at the versions at which they answer. */
  readonly #asked = new Map<number, VersionsRow>();

  constructor(options: NodeReaderOptions) {
    const { session, nodeUrl, memory, signal, bound, requestId, onPlan } = options;
    this.requestId = requestId;
    this.onPlan = onPlan;
    this.session = session;
    this.memory = memory;
    this.signal = signal;
    this.#bound = bound;
    this.#nodeUrl = nodeUrl;
  }

  /**
   * To be awaited again and again within long work of this process: others go on meanwhile. Errors:
   * the request's time is over, or its caller has gone.
   */
  goOn(): Promise<void> | undefined {
    this.#check();
    return pause();
  }

  /** Before long work that is in one piece. Errors: the same. */
  async takeTurn(): Promise<void> {
    await takeTurn();
    this.#check();
  }

  #check(): void {
    this.signal.throwIfAborted();
    if (isPast(this.#bound)) throw timedOut(this.#bound);
  }

  /** Versions that a statement of this session brought along. */
  noteVersions(rows: readonly VersionsRow[]): void {
    this.#followSnapshot();
    for (const row of rows) this.#versions.set(row.contextId, row);
  }

  /** The versions that a context is known to be at; undefined: nobody has asked. */
  knownVersions(contextId: number): VersionsRow | undefined {
    this.#followSnapshot();
    return this.#versions.get(contextId);
  }

  /** Whether all that was read is of one snapshot. */
  get isOneSnapshot(): boolean {
    return this.session.snapshot === 0;
  }

  /** The versions of the contexts that something was asked of. */
  get holdsAt(): readonly VersionsRow[] {
    return [...this.#asked.values()];
  }

  /** Errors: those of the database; a context that is not on this node fails as a defect. */
  async context(contextId: number): Promise<ContextState> {
    this.#followSnapshot();
    return this.#contexts.load(contextId);
  }

  #followSnapshot(): void {
    if (this.#snapshot === this.session.snapshot) return;
    this.#snapshot = this.session.snapshot;
    this.#versions = new Map();
    this.#contexts = this.#contextLoader();
  }

  #contextLoader(): DataLoader<number, ContextState> {
    return new DataLoader(async (ids) => {
      for (;;) {
        this.#followSnapshot();
        const { snapshot } = this.session;
        const versions = await this.#versionsOf(ids);
        const catalogs = await this.#catalogsOf(versions);
        // A statement of somebody else failed meanwhile: what was read before it is of the past.
        if (this.session.snapshot !== snapshot) continue;
        return ids.map((contextId) => this.#stateOf(contextId, versions, catalogs));
      }
    });
  }

  /** A context that has not reached a standby yet is there without anything. */
  #stateOf(
    contextId: number,
    versions: readonly VersionsRow[],
    catalogs: ReadonlyMap<number, CatalogRow>,
  ): ContextState {
    const nothing = { contextId, version: 0, textVersion: 0 };
    const found = versions.find((row) => row.contextId === contextId) ?? nothing;
    const key = this.#keyOf(contextId);
    const row = catalogs.get(contextId);
    const catalog =
      this.memory.catalog(key, found.version) ?? openCatalog(row ?? EMPTY, found.version);
    if (row) this.memory.keepCatalog(key, catalog);
    const { snapshot } = this.session;
    this.#asked.set(contextId, found);
    return { contextId, memoryKey: key, versions: found, catalog, snapshot };
  }

  async #versionsOf(ids: readonly number[]): Promise<VersionsRow[]> {
    const known = this.#versions;
    const unknown = ids.filter((id) => !known.has(id));
    const rows = unknown.length > 0 ? await selectVersions(this.session, unknown, null) : [];
    for (const row of rows) known.set(row.contextId, row);
    return ids.flatMap((id) => known.get(id) ?? []);
  }

  /** Those that are not remembered. */
  async #catalogsOf(versions: readonly VersionsRow[]): Promise<Map<number, CatalogRow>> {
    const unknown = versions.filter(
      ({ contextId, version }) => !this.memory.catalog(this.#keyOf(contextId), version),
    );
    this.memory.catalogTally.count(versions.length - unknown.length, unknown.length);
    if (unknown.length === 0) return new Map();
    const ids = unknown.map(({ contextId }) => contextId);
    const rows = await selectCatalogs(this.session, ids, null);
    return new Map(rows.map((row) => [row.contextId, row]));
  }

  #keyOf(contextId: number): string {
    return memoryKey(this.#nodeUrl, contextId);
  }
}

const EMPTY: CatalogRow = {
  contextId: 0,
  sliceSeconds: 86_400,
  groups: [],
  meters: [],
  probes: [],
  slices: [],
  coverage: [],
  coarse: [],
};
