import { isIP } from 'node:net';

/** Where a collector receives datagrams: `::` is all addresses of both families. */
export type ListenAddress = { readonly address: string; readonly port: number };

/** Where exporters send by default: NetFlow and IPFIX to the one, sFlow to the other. */
export const DEFAULT_LISTEN: readonly ListenAddress[] = [
  { address: '::', port: 2055 },
  { address: '::', port: 6343 },
];

/** Reads `2055`, `192.0.2.1:2055`, `[::1]:2055`; null: it is none of these. */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:(?:\[([^\]]*)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text);
  if (match === null) return null;
  const [, ipv6, host, digits] = match;
  const port = Number(digits);
  if (port > 65_535) return null;
  if (ipv6 !== undefined) return isIP(ipv6) === 6 ? { address: ipv6, port } : null;
  if (host === undefined) return { address: '::', port };
  const address = host === 'localhost' ? '127.0.0.1' : host;
  return isIP(address) === 4 ? { address, port } : null;
}

/** Writes an address as people type it. */
export const listenText = ({ address, port }: ListenAddress): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
