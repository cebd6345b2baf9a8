import type { IdentityRow } from '../../db/sql/identity.ts';
import { type ContextLimit, joinLimits } from '../../domain/callers/grant-limit.ts';

/** What the caller of a request may see of each context, as the nodes say that were asked. */
export class CallerLimits {
  /** By node and context. */
  readonly #limits = new Map<string, ReadonlyMap<number, ContextLimit>>();

  note(nodeUrl: string, contexts: IdentityRow['contexts']): void {
    if (contexts.length === 0) return;
    const limits = contexts.map(({ contextId, grants }) => {
      return [contextId, joinLimits(grants.map(({ limit }) => limit))] as const;
    });
    this.#limits.set(nodeUrl, new Map(limits));
  }

  /** Whether the caller may see only a part of any context. */
  get areLimited(): boolean {
    return [...this.#limits.values()].some((ofNode) =>
      [...ofNode.values()].some((limit) => limit !== null),
    );
  }

  /**
   * Returns the limit of a context, as the node that has it says, if it was asked, else as the one
   * that identified the caller. Errors: none of them grants it.
   */
  of(nodeUrl: string, contextId: number): ContextLimit {
    const [identifying] = this.#limits.values();
    const limit = (this.#limits.get(nodeUrl) ?? identifying)?.get(contextId);
    if (limit === undefined) throw new Error(`the caller may not read context ${contextId}`);
    return limit;
  }
}
