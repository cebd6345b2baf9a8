/** What a typed text means apart from its letters: networks and ports in the forms people use. */

/** Returns a network in CIDR form, or an address, in its usual spelling; null for other texts. */
export function typedNetwork(text: string): string | null {
  return text.includes(':') ? typedIPv6(text) : typedIPv4(text);
}

/** `192.168.1.7/24`, `10.0.0.1`, `192.168.1`, `192.168.1.`, `192.168.*`, `10/8`. */
const IPV4 = /^(\d{1,3}(?:\.\d{1,3}){0,3})(\.(?:\*(?:\.\*)*)?)?(?:\/(\d{1,2}))?$/;

function typedIPv4(text: string): string | null {
  const [, digits = '', open, length] = IPV4.exec(text) ?? [];
  const bytes = digits.split('.').map(Number);
  const { length: count } = bytes;
  if (digits === '' || bytes.some((byte) => byte > 255)) return null;
  // A single number may mean anything, unless it says that it is the beginning of an address.
  if (count === 1 && open === undefined && length === undefined) return null;
  if (count === 4 && open !== undefined) return null;
  const bits = length === undefined ? 8 * count : Number(length);
  if (bits > 32) return null;
  const whole = [0, 1, 2, 3].map((index) => bytes[index] ?? 0);
  const kept = whole.map((byte, index) => byte & maskOf(bits - 8 * index));
  return bits === 32 ? kept.join('.') : `${kept.join('.')}/${bits}`;
}

/** Returns a byte's mask whose first `bits` are set. */
const maskOf = (bits: number): number => 0xff & ~(0xff >> Math.min(8, Math.max(0, bits)));

function typedIPv6(text: string): string | null {
  const [, address = '', length] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  if (Number(length ?? 0) > 128) return null;
  try {
    const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
    return length === undefined || length === '128' ? written : `${written}/${length}`;
  } catch {
    // Not an address.
    return null;
  }
}

/** Returns how many bits of a network's addresses are fixed, and of which family it is. */
export function networkLength(network: string): { family: 'ipv4' | 'ipv6'; bits: number } {
  const [address = '', bits] = network.split('/');
  const family = address.includes(':') ? 'ipv6' : 'ipv4';
  return { family, bits: bits === undefined ? { ipv4: 32, ipv6: 128 }[family] : Number(bits) };
}

export type TypedPort = {
  readonly port: string;
  /** `tcp` or the like, if it was typed too. */
  readonly transport: string | null;
};

/** `443`, `:443`, `port 443`, `tcp/443`, `443/udp`; null for other texts. */
export function typedPort(text: string): TypedPort | null {
  const [, before, digits, after] =
    /^(?:port\s+|:|(tcp|udp|sctp)\/)?(\d{1,5})(?:\/(tcp|udp|sctp))?$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535 || (before && after)) return null;
  return { port: String(port), transport: (before ?? after)?.toUpperCase() ?? null };
}

/** Returns the raw key of a port. */
const rawPort = (port: string): string => {
  const hex = Number(port).toString(16).toUpperCase().padStart(4, '0');
  return `${hex.slice(0, 2)}.${hex.slice(2)}`;
};

const IN_PAIRS = ['(^|\\\\)', '(\\\\|$)'] as const;

/**
 * Returns the pattern by which a part of a pair is exactly this port: backslashes join the parts,
 * and of all kinds but text, no other part consists of two bytes.
 */
export const portPattern = (port: string): string =>
  `${IN_PAIRS[0]}${rawPort(port).replace('.', '\\.')}${IN_PAIRS[1]}`;

/** Returns the port of such a pattern; null for other patterns. */
export function portOfPattern(pattern: string): string | null {
  if (!pattern.startsWith(IN_PAIRS[0]) || !pattern.endsWith(IN_PAIRS[1])) return null;
  const raw = pattern.slice(IN_PAIRS[0].length, -IN_PAIRS[1].length).replace('\\.', '.');
  if (!/^[0-9A-F]{2}\.[0-9A-F]{2}$/.test(raw)) return null;
  return String(Number.parseInt(raw.replace('.', ''), 16));
}
