import type { ContextLimit } from '../../domain/callers/grant-limit.ts';
import type { Role } from '../../domain/callers/role.ts';
import type { Claim, NodeRow } from '../loaders/request-reads.ts';

export type GrantedContext = {
  readonly contextId: number;
  readonly name: string;
  readonly role: Role;
  /** null: all of it. */
  readonly limit: ContextLimit;
  readonly nodes: readonly NodeRow[];
};

/** Contexts by name. */
export type Grants = ReadonlyMap<string, GrantedContext>;

/** An authenticated user, and the contexts they may read. */
export class Identity {
  readonly username: string;
  /** By what the user was identified. */
  readonly claim: Claim;
  /** The user's token, as the node that authenticated the user stores it. */
  readonly tokenDigest: Buffer | null;
  /** What the user's identity provider calls them; null: no provider does. */
  readonly shownName: string | null;
  /** Whether the user manages users, tokens and contexts. */
  readonly isAdmin: boolean;
  /** Those granted by the node that authenticated the user. */
  readonly contexts: Grants;
  /** The node that authenticated the user: the primary, unless it could not be reached. */
  readonly nodeUrl: string;
  readonly #lookUpAt: (nodeUrl: string) => Promise<Grants>;
  readonly #elsewhere = new Map<string, Promise<Grants>>();
  readonly #readable: Set<string>;

  constructor(options: IdentityOptions) {
    const { username, claim, tokenDigest, shownName, isAdmin, contexts, nodeUrl, lookUpAt } =
      options;
    this.username = username;
    this.claim = claim;
    this.tokenDigest = tokenDigest;
    this.shownName = shownName;
    this.isAdmin = isAdmin;
    this.contexts = contexts;
    this.nodeUrl = nodeUrl;
    this.#lookUpAt = lookUpAt;
    this.#readable = new Set(contexts.keys());
  }

  /**
   * Returns the contexts that a node grants the user; none if it refuses the token. If a node
   * stands in for the primary, what it knows about the user gives no access to other nodes
   * (decision 13).
   */
  async grantsOf(nodeUrl: string): Promise<Grants> {
    if (nodeUrl === this.nodeUrl) return this.contexts;
    const pending = this.#elsewhere.get(nodeUrl) ?? this.#lookUpAt(nodeUrl);
    this.#elsewhere.set(nodeUrl, pending);
    const grants = await pending;
    for (const name of grants.keys()) this.#readable.add(name);
    return grants;
  }

  /** Whether any node that was asked grants the context. */
  mayRead(contextName: string): boolean {
    return this.#readable.has(contextName);
  }
}

type IdentityOptions = Pick<
  Identity,
  'username' | 'claim' | 'tokenDigest' | 'shownName' | 'isAdmin' | 'contexts' | 'nodeUrl'
> & {
  /** Looks the user up on another node; no contexts if it refuses the token. */
  readonly lookUpAt: (nodeUrl: string) => Promise<Grants>;
};
