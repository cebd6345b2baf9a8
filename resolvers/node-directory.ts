import type { NodeRow } from './loaders/session/request-reads.ts';

/**
 * The nodes of each context as last read from a primary. Decision 13: while the primary cannot be
 * reached the running server still knows where the recovery nodes are.
 */
export class NodeDirectory {
  readonly #nodes = new Map<string, readonly NodeRow[]>();
  readonly #onChange: ((contextName: string, nodes: readonly NodeRow[]) => void) | null;

  /** onChange: told when a context is read that has other nodes than were known. */
  constructor(onChange: ((contextName: string, nodes: readonly NodeRow[]) => void) | null = null) {
    this.#onChange = onChange;
  }

  remember(contextName: string, nodes: readonly NodeRow[]): void {
    const known = this.nodesOf(contextName);
    this.#nodes.set(contextName, nodes);
    if (this.#onChange && !areSame(known, nodes)) this.#onChange(contextName, nodes);
  }

  /** Another process has read it. */
  heard(contextName: string, nodes: readonly NodeRow[]): void {
    this.#nodes.set(contextName, nodes);
  }

  /** All that is known. */
  entries(): (readonly [string, readonly NodeRow[]])[] {
    return [...this.#nodes];
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

/** It is asked for each context of each request, and mostly of none or the very same. */
const areSame = (some: readonly NodeRow[], others: readonly NodeRow[]): boolean =>
  some === others ||
  (some.length === others.length &&
    (some.length === 0 || JSON.stringify(some) === JSON.stringify(others)));
