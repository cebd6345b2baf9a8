import type { Kernel } from '../../topk/kernel.ts';
import { AnswerMemory } from './answer-memory.ts';
import { BlockMemory, type ChangedBlocks } from './block-memory.ts';
import type { Catalog } from './catalog.ts';
import { FilterMemory } from './filter-memory.ts';
import { KeyMemory } from './key-memory.ts';
import { ResponseMemory } from './response-memory.ts';
import { SeriesMemory } from './series-memory.ts';
import { Tally } from './tally.ts';

/** The part of the memory for unpacked data that is for series of keys; the rest is for blocks. */
const SERIES_SHARE = 1 / 4;

export type MemoryLimits = {
  /** Of all that is unpacked. */
  readonly unpackedBytes: number;
  readonly answerBytes: number;
  readonly responseBytes: number;
};

/** One of the memories, as operators want to know it. Hits and misses are since the start. */
export type MemoryUse = {
  readonly name: 'responses' | 'answers' | 'blocks' | 'series' | 'keys' | 'filters' | 'catalogs';
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
};

/**
 * All that outlives a request: derived from what the database holds, never in place of it. Every
 * entry is found by node and context, and by the version that the request's own snapshot has of it.
 */
export class ServiceMemory {
  readonly kernel: Kernel;
  readonly blocks: BlockMemory;
  readonly series: SeriesMemory;
  readonly answers: AnswerMemory;
  readonly responses: ResponseMemory;
  readonly filters: FilterMemory;
  readonly keys = new KeyMemory();
  readonly catalogTally = new Tally();
  readonly #catalogs = new Map<string, Catalog>();

  constructor(kernel: Kernel, { unpackedBytes: maxBytes, ...limits }: MemoryLimits) {
    this.kernel = kernel;
    this.answers = new AnswerMemory(limits.answerBytes);
    this.responses = new ResponseMemory(limits.responseBytes);
    this.blocks = new BlockMemory(maxBytes * (1 - SERIES_SHARE));
    this.series = new SeriesMemory(maxBytes * SERIES_SHARE);
    this.filters = new FilterMemory();
  }

  use(): readonly MemoryUse[] {
    const { responses, answers, blocks, series, keys, filters, catalogTally } = this;
    const catalogBytes = [...this.#catalogs.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return [
      { name: 'responses', ...useOf(responses.bytes, responses.tally) },
      { name: 'answers', ...useOf(answers.bytes, answers.tally) },
      { name: 'blocks', ...useOf(blocks.bytes, blocks.tally) },
      { name: 'series', ...useOf(series.bytes, series.tally) },
      { name: 'keys', ...useOf(keys.bytes, keys.tally) },
      { name: 'filters', ...useOf(filters.bytes, filters.tally) },
      { name: 'catalogs', ...useOf(catalogBytes, catalogTally) },
    ];
  }

  /** The version at which blocks and series of a context are remembered; null: none are. */
  versionOf(context: string): number | null {
    return this.blocks.versionOf(context);
  }

  /** Goes on to a later version by forgetting what changed; changes null: all of the context. */
  moveOn(context: string, version: number, changes: readonly ChangedBlocks[] | null): void {
    this.blocks.moveOn(context, version, changes);
    this.series.moveOn(context, version, changes);
  }

  catalog(context: string, version: number): Catalog | null {
    const catalog = this.#catalogs.get(context);
    return catalog?.version === version ? catalog : null;
  }

  keepCatalog(context: string, catalog: Catalog): void {
    const known = this.#catalogs.get(context);
    if (!known || known.version < catalog.version) this.#catalogs.set(context, catalog);
  }

  clear(): void {
    this.#catalogs.clear();
    this.blocks.clear();
    this.series.clear();
    this.answers.clear();
    this.responses.clear();
    this.filters.clear();
    this.keys.clear();
  }
}

const useOf = (bytes: number, { hits, misses }: Tally) => ({ bytes, hits, misses });

/** How a context on a node is called in here. */
export const memoryKey = (nodeUrl: string, contextId: number): string => `${contextId} ${nodeUrl}`;
