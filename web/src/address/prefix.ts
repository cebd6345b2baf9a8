/** How many bits make a network in each family, where networks replace addresses. */
export type Prefix = { readonly ipv4: number; readonly ipv6: number };

export const MAX_BITS: Prefix = { ipv4: 32, ipv6: 128 };

/** What the control offers; an address may have any other. IPv6 lengths are twice the IPv4 ones. */
export const PREFIXES: readonly Prefix[] = [8, 16, 24, 32].map(twiceAsLong);

/** The graph's default lengths. */
export const DEFAULT_PREFIX: Prefix = { ipv4: 24, ipv6: 48 };

function twiceAsLong(ipv4: number): Prefix {
  return { ipv4, ipv6: 2 * ipv4 };
}

/** Parses `24,48`, or `24` for the same; null for anything else. */
export function parsePrefix(text: string): Prefix | null {
  const [, short, long] = /^(\d{1,2})(?:,(\d{1,3}))?$/.exec(text) ?? [];
  if (short === undefined) return null;
  const ipv4 = Number(short);
  const prefix = long === undefined ? twiceAsLong(ipv4) : { ipv4, ipv6: Number(long) };
  return prefix.ipv4 <= MAX_BITS.ipv4 && prefix.ipv6 <= MAX_BITS.ipv6 ? prefix : null;
}

export const formatPrefix = ({ ipv4, ipv6 }: Prefix): string => `${ipv4},${ipv6}`;
