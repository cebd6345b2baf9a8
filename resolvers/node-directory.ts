import type { NodeRow } from './loaders/request-reads.ts';

type NamedNode = { readonly contextName: string; readonly destinationNode: string | null };

/**
 * The nodes of each context as last read from a primary. Decision 13: while the primary cannot be
 * reached, the running server still knows the addresses of the recovery nodes.
 */
export class NodeDirectory {
  readonly #nodes = new Map<string, readonly NodeRow[]>();
  readonly #onChange: ((contextName: string, nodes: readonly NodeRow[]) => void) | null;

  /** onChange: called when a context is read whose nodes differ from the known ones. */
  constructor(onChange: ((contextName: string, nodes: readonly NodeRow[]) => void) | null = null) {
    this.#onChange = onChange;
  }

  /** Takes the nodes that this process has read from the primary. */
  remember(contextName: string, nodes: readonly NodeRow[]): void {
    const known = this.nodesOf(contextName);
    this.#nodes.set(contextName, nodes);
    if (this.#onChange && !areSame(known, nodes)) this.#onChange(contextName, nodes);
  }

  /** Records nodes that another process has read. */
  applyRemote(contextName: string, nodes: readonly NodeRow[]): void {
    this.#nodes.set(contextName, nodes);
  }

  /** Returns all known contexts and their nodes. */
  entries(): (readonly [string, readonly NodeRow[]])[] {
    return [...this.#nodes];
  }

  /** Whether the nodes of a context were ever read from a primary. */
  knows(contextName: string): boolean {
    return this.#nodes.has(contextName);
  }

  nodesOf(contextName: string): readonly NodeRow[] {
    return this.#nodes.get(contextName) ?? [];
  }

  /** Returns every known node, recovery nodes first: these can authenticate callers. */
  all(): NodeRow[] {
    return [...this.#nodes.values()]
      .flat()
      .sort((a, b) => Number(b.role === 'dr') - Number(a.role === 'dr'));
  }

  /** Returns every known node, beginning with the one of this context that has this name. */
  allAfter({ contextName, destinationNode }: NamedNode): NodeRow[] {
    const first = this.nodesOf(contextName).filter(({ name }) => name === destinationNode);
    return [...first, ...this.all()];
  }
}

/** Runs for each context of each request; mostly there are no nodes, or the lists are identical. */
const areSame = (some: readonly NodeRow[], others: readonly NodeRow[]): boolean =>
  some === others ||
  (some.length === others.length &&
    (some.length === 0 || JSON.stringify(some) === JSON.stringify(others)));
