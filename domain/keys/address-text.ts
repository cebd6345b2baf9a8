import ipaddr from 'ipaddr.js';

/**
 * The bytes of an IPv4 or IPv6 address in its usual text, 4 or 16 of them; null for anything else.
 * Strict: four decimal parts without leading zeros (some readers take those for octal), no zone.
 */
export const parseAddress = (text: string): number[] | null =>
  text.includes(':') ? parseIpv6(text) : parseIpv4(text);

const parseIpv4 = (text: string): number[] | null =>
  ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text).toByteArray() : null;

function parseIpv6(text: string): number[] | null {
  if (text.includes('%')) return null;
  const hexadecimal = text.includes('.') ? withoutDottedTail(text) : text;
  if (hexadecimal === null || !ipaddr.IPv6.isValid(hexadecimal)) return null;
  return ipaddr.IPv6.parse(hexadecimal).toByteArray();
}

/**
 * RFC 4291 lets the last 32 bits be written as IPv4. ipaddr.js would read `::1.2.3.4` as
 * `::ffff:1.2.3.4`, which is another address, so it never sees the dots.
 */
function withoutDottedTail(text: string): string | null {
  const tailStart = text.lastIndexOf(':') + 1;
  const tail = parseIpv4(text.slice(tailStart));
  if (tail === null) return null;
  const [a = 0, b = 0, c = 0, d = 0] = tail;
  return `${text.slice(0, tailStart)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** The text of an address of 4 or 16 bytes; IPv6 as RFC 5952 recommends. */
export function formatAddress(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  // RFC 5952, section 5: the IPv4 address within ::ffff:0:0/96 is shown as one.
  if (isIpv4Mapped(bytes)) return `::ffff:${bytes.slice(12).join('.')}`;
  return new ipaddr.IPv6([...bytes]).toRFC5952String();
}

const isIpv4Mapped = (bytes: readonly number[]): boolean =>
  bytes.every((byte, i) => i >= 12 || byte === (i < 10 ? 0 : 0xff));
