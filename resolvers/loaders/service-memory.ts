import type { Kernel } from '../../topk/kernel.ts';
import { BlockMemory } from './block-memory.ts';
import type { Catalog } from './catalog.ts';
import { FilterMemory } from './filter-memory.ts';
import { KeyMemory } from './key-memory.ts';

/**
 * All that outlives a request: derived from what the database holds, never in place of it. Every
 * entry is found by node and context, and by the version that the request's own snapshot has of it.
 */
export class ServiceMemory {
  readonly kernel: Kernel;
  readonly blocks: BlockMemory;
  readonly filters: FilterMemory;
  readonly keys = new KeyMemory();
  readonly #catalogs = new Map<string, Catalog>();

  constructor(kernel: Kernel, maxBlockBytes: number) {
    this.kernel = kernel;
    this.blocks = new BlockMemory(maxBlockBytes);
    this.filters = new FilterMemory();
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
    this.filters.clear();
    this.keys.clear();
  }
}

/** How a context on a node is called in here. */
export const memoryKey = (nodeUrl: string, contextId: number): string => `${contextId} ${nodeUrl}`;
