import { RetryRequest, StandbyRejected } from '../../db/session/snapshot-check.ts';
import { StandbySession, type StandbySessionOptions } from '../../db/session/standby-session.ts';
import type { VersionedRow } from '../../db/sql/versions.ts';
import { standbyCheck } from '../../db/standby-check.ts';
import type { Standbys } from './standbys.ts';

/** A standby, with its name in a context. */
export type SharedNode = { readonly name: string; readonly url: string };

type StandbyChoiceOptions = {
  readonly standbys: Standbys;
  /** Returns the options of the session on the standby at this address. */
  readonly sessionAt: (url: string) => Omit<StandbySessionOptions, 'check' | 'onFailed'>;
  /** Whether the request can retry from the start if a standby is passed over. */
  readonly mayShare: boolean;
  readonly primaryUrl: string;
};

/** Chooses the standby that answers a request in place of the primary, and reports the outcome. */
export class StandbyChoice {
  readonly #options: StandbyChoiceOptions;
  /** The contexts that the request reads, with the standbys that share each. */
  readonly #viewed = new Map<number, readonly SharedNode[]>();
  /** The contexts that the caller may read, at the versions of the primary. */
  readonly #granted = new Map<number, VersionedRow>();
  #chosen: { readonly url: string; readonly session: StandbySession | null } | null = null;

  constructor(options: StandbyChoiceOptions) {
    this.#options = options;
  }

  noteGranted(rows: readonly VersionedRow[]): void {
    for (const row of rows) this.#granted.set(row.contextId, row);
  }

  /** Returns the versions of a granted context on the primary; null if they are not known yet. */
  grantedAt(contextId: number): VersionedRow | null {
    return this.#granted.get(contextId) ?? null;
  }

  /** Notes that the request reads a context, which these nodes share. */
  view(contextId: number, nodes: readonly SharedNode[]): void {
    const before = this.#viewed.get(contextId);
    const both = before ? nodes.filter(({ url }) => hasUrl(before, url)) : nodes;
    this.#viewed.set(contextId, both);
    const { url = '', session = null } = this.#chosen ?? {};
    const isCovered = before !== undefined && hasUrl(both, url);
    if (session && !isCovered) session.fail(new RetryRequest('a standby lacks a context'));
  }

  isShared(contextId: number): boolean {
    return (this.#viewed.get(contextId) ?? []).length > 0;
  }

  /** Returns the context's name of the chosen standby; null if none was chosen. */
  nameFor(contextId: number): string | null {
    const nodes = this.#viewed.get(contextId) ?? [];
    return nodes.find(({ url }) => url === this.#chosen?.url)?.name ?? null;
  }

  /** Opens a session on the standby to read from; null: the primary. */
  open(ownBusy: number): StandbySession | null {
    const { standbys, sessionAt, mayShare, primaryUrl } = this.#options;
    const contextIds = [...this.#viewed.keys()];
    const expected = contextIds.flatMap((id) => this.#granted.get(id) ?? []);
    const urls = this.#commonUrls();
    const isKnown = expected.length === contextIds.length;
    if (!mayShare || !isKnown || urls.length === 0) return null;
    const url = standbys.pick({ urls, expected, ownBusy });
    const session =
      url === null
        ? null
        : new StandbySession({
            ...sessionAt(url),
            check: standbyCheck(expected),
            onFailed(error) {
              if (error instanceof StandbyRejected)
                standbys.passedOver(url, error.reason, expected);
            },
          });
    this.#chosen = { url: url ?? primaryUrl, session };
    return session;
  }

  /** Called when the request has changed the primary: no standby is known to have the change. */
  keepToPrimary(): void {
    this.end();
    this.#granted.clear();
  }

  /** Called when the request is over. */
  end(): void {
    const { standbys } = this.#options;
    if (!this.#chosen) return;
    const { url, session } = this.#chosen;
    this.#chosen = null;
    if (session === null || (session.hasBegun && !session.moved)) standbys.answered(url);
  }

  #commonUrls(): string[] {
    const [first = [], ...others] = this.#viewed.values();
    return first.map(({ url }) => url).filter((url) => others.every((nodes) => hasUrl(nodes, url)));
  }
}

const hasUrl = (nodes: readonly SharedNode[], url: string): boolean =>
  nodes.some((node) => node.url === url);
