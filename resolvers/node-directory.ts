import type { NodeRow } from './loaders/session/request-reads.ts';

/**
 * The nodes of each context as last read from a primary. Decision 13: while the primary cannot be
 * reached the running server still knows where the recovery nodes are.
 */
export class NodeDirectory {
  readonly #nodes = new Map<string, readonly NodeRow[]>();

  remember(contextName: string, nodes: readonly NodeRow[]): void {
    this.#nodes.set(contextName, nodes);
  }

  nodesOf(contextName: string): readonly NodeRow[] {
    return this.#nodes.get(contextName) ?? [];
  }

  /** Every node that is known, recovery nodes first: where to ask who somebody is. */
  all(): NodeRow[] {
    return [...this.#nodes.values()]
      .flat()
      .sort((a, b) => Number(b.role === 'dr') - Number(a.role === 'dr'));
  }
}
