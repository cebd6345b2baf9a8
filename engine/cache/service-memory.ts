import type { ThreadPool } from '../kernel/threads/thread-pool.ts';
import type { Catalog } from '../plan/catalog.ts';
import { AnswerMemory } from './answer-memory.ts';
import { ChosenTokens } from './chosen-tokens.ts';
import { ManifestMemory } from './manifest-memory.ts';
import { ResponseMemory } from './response-memory.ts';
import { type KeptKind, SegmentMemory } from './segment-memory.ts';
import { Tally } from './tally.ts';
import { TextMemory } from './text-memory.ts';

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
export class ServiceMemory {
  readonly threadPool: ThreadPool;
  readonly segments: SegmentMemory;
  readonly answers: AnswerMemory;
  readonly responses: ResponseMemory;
  readonly texts = new TextMemory();
  readonly chosenTokens = new ChosenTokens();
  readonly manifests = new ManifestMemory();
  readonly catalogTally = new Tally();
  readonly #catalogs = new Map<string, Catalog>();
  /** The history of each node's database, by the node's address. */
  readonly #histories = new Map<string, string>();

  constructor(threadPool: ThreadPool, { segmentBytes, answerBytes, responseBytes }: MemoryLimits) {
    this.threadPool = threadPool;
    this.segments = new SegmentMemory(segmentBytes);
    this.answers = new AnswerMemory(answerBytes);
    this.responses = new ResponseMemory(responseBytes);
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
    this.answers.clear();
    this.responses.clear();
    this.texts.clear();
    this.manifests.clear();
  }
}

const useOf = (bytes: number, { hits, misses }: Tally) => ({ bytes, hits, misses });

/** Returns the name of a context on a node in the caches, for one history of its database. */
export const memoryKey = (
  nodeUrl: string,
  { contextId, history }: { readonly contextId: number; readonly history: string },
): string => `${contextId} ${nodeUrl} ${history}`;
