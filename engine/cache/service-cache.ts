import { LRUCache } from 'lru-cache';
import type { CoveredSpan } from '../../domain/time/newest-bucket.ts';
import type { Manifest } from '../../store/read/manifest.ts';
import type { ThreadPool } from '../kernel/threads/thread-pool.ts';
import type { Catalog } from '../plan/catalog.ts';
import { AnswerCache } from './answer-cache.ts';
import { CacheStats } from './cache-stats.ts';
import { ResponseCache } from './response-cache.ts';
import { type KeptKind, SegmentCache } from './segment-cache.ts';
import { TextCache } from './text-cache.ts';

type MemoryLimits = {
  /** Limit on all data decoded or derived from segments. */
  readonly segmentBytes: number;
  readonly answerBytes: number;
  readonly responseBytes: number;
};

/** The use of one cache, for operators. Hits and misses are counted from the start. */
type MemoryUse = {
  readonly name: 'responses' | 'answers' | KeptKind | 'texts' | 'catalogs' | 'manifests';
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
};

/**
 * Everything that outlives a request. It is derived from the database and never replaces it. Data
 * from segments never change; everything else is looked up by node and context, and by the versions
 * in the request's own snapshot.
 */
export class ServiceCache {
  readonly threadPool: ThreadPool;
  readonly segments: SegmentCache;
  readonly answers: AnswerCache;
  readonly responses: ResponseCache;
  readonly texts = new TextCache();
  readonly manifests = new ManifestCache();
  /** Where groups have readings that may be seen, by what that depends on; null: nowhere. */
  readonly spans = new LRUCache<string, { readonly span: CoveredSpan | null }>({ max: 10_000 });
  readonly catalogTally = new CacheStats();
  readonly #catalogs = new Map<string, Catalog>();
  /** The history of each node's database, by the node's address. */
  readonly #histories = new Map<string, string>();

  constructor(threadPool: ThreadPool, { segmentBytes, answerBytes, responseBytes }: MemoryLimits) {
    this.threadPool = threadPool;
    this.segments = new SegmentCache(segmentBytes);
    this.answers = new AnswerCache(answerBytes);
    this.responses = new ResponseCache(responseBytes);
  }

  use(): readonly MemoryUse[] {
    const { responses, answers, segments, texts, manifests, catalogTally } = this;
    const catalogBytes = [...this.#catalogs.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return [
      { name: 'responses', ...useOf(responses.bytes, responses.tally) },
      { name: 'answers', ...useOf(answers.bytes, answers.tally) },
      ...segments.use().map(({ kind, bytes, tally }) => ({ name: kind, ...useOf(bytes, tally) })),
      { name: 'texts', ...useOf(texts.bytes, texts.tally) },
      { name: 'catalogs', ...useOf(catalogBytes, catalogTally) },
      { name: 'manifests', ...useOf(manifests.bytes, manifests.tally) },
    ];
  }

  catalog(context: string, version: number): Catalog | null {
    const catalog = this.#catalogs.get(context);
    return catalog?.version === version ? catalog : null;
  }

  keepCatalog(context: string, catalog: Catalog): void {
    const known = this.#catalogs.get(context);
    if (!known || known.version < catalog.version) this.#catalogs.set(context, catalog);
  }

  /** Notes the current history of a node's database. A new one makes all versioned data useless. */
  noteHistory(nodeUrl: string, history: string): void {
    const known = this.#histories.get(nodeUrl);
    if (known === history) return;
    this.#histories.set(nodeUrl, history);
    if (known !== undefined) this.#forgetVersions();
  }

  clear(): void {
    this.segments.clear();
    this.#forgetVersions();
  }

  #forgetVersions(): void {
    this.#catalogs.clear();
    this.spans.clear();
    this.answers.clear();
    this.responses.clear();
    this.texts.clear();
    this.manifests.clear();
  }
}

const useOf = (bytes: number, { hits, misses }: CacheStats) => ({ bytes, hits, misses });

/** Returns the name of a context on a node in the caches, for one history of its database. */
export const contextCacheKey = (
  nodeUrl: string,
  { contextId, history }: { readonly contextId: number; readonly history: string },
): string => `${contextId} ${nodeUrl} ${history}`;

/** Approximate size of a segment besides its directory, which is usually decoded too. */
const SEGMENT_BYTES = 400;

/** Whose manifest it is: a context on a node, in one history of the node's database. */
export type ManifestOwner = {
  /** Names the context and the node. */
  readonly name: string;
  /** Changes of segments continue a manifest only within one history. */
  readonly history: string;
};

/** A cache of the newest manifest of each context that was read, on each node. */
export class ManifestCache {
  readonly tally = new CacheStats();
  readonly #manifests = new Map<string, { history: string; manifest: Manifest }>();

  get bytes(): number {
    let bytes = 0;
    for (const { manifest } of this.#manifests.values()) {
      for (const kind of [manifest.segments, manifest.rollUps]) {
        for (const { directoryBytes } of kind.values()) bytes += SEGMENT_BYTES + directoryBytes;
      }
    }
    return bytes;
  }

  /**
   * Returns the manifest of a context at this version and layout. The caller that reads it counts
   * the miss.
   */
  find(owner: ManifestOwner, { version, layout }: Pick<Manifest, 'version' | 'layout'>) {
    const known = this.newest(owner);
    const found = known?.layout === layout && known.version === version ? known : undefined;
    if (found) this.tally.count(1, 0);
    return found;
  }

  /** Returns the newest cached manifest; only the changes since then need to be read. */
  newest({ name, history }: ManifestOwner): Manifest | undefined {
    const known = this.#manifests.get(name);
    return known?.history === history ? known.manifest : undefined;
  }

  /** Also replaces the manifest of an earlier history. */
  keep(owner: ManifestOwner, manifest: Manifest): void {
    const known = this.newest(owner);
    if (known && known.layout > manifest.layout) return;
    this.#manifests.set(owner.name, { history: owner.history, manifest });
  }

  forget({ name }: ManifestOwner): void {
    this.#manifests.delete(name);
  }

  clear(): void {
    this.#manifests.clear();
  }
}
