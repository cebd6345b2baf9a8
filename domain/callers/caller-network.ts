import ipaddr from 'ipaddr.js';

/** A household or a server gets at least a /64 of IPv6, so a /64 counts as one caller. */
const IPV6_PREFIX_PARTS = 4;

/** All callers without a valid address count as one caller. */
const UNKNOWN = 'unknown';

/**
 * Returns what counts as one caller: an IPv4 address, or an IPv6 network of /64. Accepts addresses
 * as sockets and proxies write them: IPv4 within IPv6, in brackets, with a zone or a port.
 */
export function callerNetwork(address: string | undefined): string {
  const parsed = parse(address);
  if (!parsed) return UNKNOWN;
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const parts = parsed.parts.slice(0, IPV6_PREFIX_PARTS).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}

/** Whether the caller is on this machine. */
export const isLoopback = (address: string | undefined): boolean =>
  parse(address)?.range() === 'loopback';

function parse(address = ''): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = withoutPort(address);
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}

function withoutPort(address: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? [];
  const [, ipv4] = /^([\d.]+):\d+$/.exec(address) ?? [];
  return bracketed ?? ipv4 ?? address;
}
