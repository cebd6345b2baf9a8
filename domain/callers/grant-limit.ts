import type { Network } from '../keys/address-forms.ts';

/** What of a context a grant covers; each of them null: all. */
export type GrantLimit = {
  /** In CIDR form. */
  readonly networks: readonly string[] | null;
  /** Names of probes. */
  readonly probes: readonly string[] | null;
  /** Guids of counter groups, as PostgreSQL writes a uuid. */
  readonly groups: readonly string[] | null;
};

/** What of a context several grants cover together; null: all of it. */
export type ContextLimit = readonly GrantLimit[] | null;

const isWhole = ({ networks, probes, groups }: GrantLimit): boolean =>
  networks === null && probes === null && groups === null;

/** Returns what grants of one context cover together, in an order of its own. */
export function joinLimits(limits: readonly GrantLimit[]): ContextLimit {
  if (limits.some(isWhole)) return null;
  const byName = new Map(limits.map((limit) => [JSON.stringify(limit), limit]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, limit]) => limit);
}

/** A key may be seen if an address in it lies in one of these networks. */
export type LimitNetworks = readonly Network[];
