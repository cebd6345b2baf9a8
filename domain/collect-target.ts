import { parseReadableKey } from './keys/key-text.ts';
import { isName } from './text/storable-text.ts';

/** Where a collector receives datagrams: `::` is all addresses of both families. */
export type ListenAddress = { readonly address: string; readonly port: number };

/** Where exporters send by default: NetFlow and IPFIX to the one, sFlow to the other. */
export const DEFAULT_LISTEN: readonly ListenAddress[] = [
  { address: '::', port: 2055 },
  { address: '::', port: 6343 },
];

/** What `parseListenAddress` takes, as error messages say it. */
export const LISTEN_FORM =
  'a port, or an address of this machine and a port, such as 2055, 192.0.2.1:2055 or [::1]:2055';

/** Reads `2055`, `192.0.2.1:2055`, `[::1]:2055`; null: it is none of these. */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:(?:\[([^\]]*)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text);
  if (match === null) return null;
  const [, ipv6, host, digits] = match;
  const port = Number(digits);
  if (port > 65_535) return null;
  if (ipv6 !== undefined) return isAddress('ipv6', ipv6) ? { address: ipv6, port } : null;
  if (host === undefined) return { address: '::', port };
  const address = host === 'localhost' ? '127.0.0.1' : host;
  return isAddress('ipv4', address) ? { address, port } : null;
}

const isAddress = (kind: 'ipv4' | 'ipv6', text: string): boolean =>
  parseReadableKey(kind, text) !== null;

/** Writes an address as people type it. */
export const listenText = ({ address, port }: ListenAddress): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** A context to fill beside a server, and where to receive; null: at the default ports. */
export type CollectTarget = { readonly context: string; readonly listen: ListenAddress | null };

/** What `parseCollectTarget` takes, as error messages say it. */
export const COLLECT_FORM = `a context, if wanted with "=" and ${LISTEN_FORM}`;

/** Reads `CONTEXT` or `CONTEXT=[HOST:]PORT`; null: it is neither. */
export function parseCollectTarget(text: string): CollectTarget | null {
  const at = text.lastIndexOf('=');
  const context = at === -1 ? text : text.slice(0, at);
  const listen = at === -1 ? null : parseListenAddress(text.slice(at + 1));
  return isName(context) && (at === -1 || listen !== null) ? { context, listen } : null;
}

/** Says which targets cannot be collected at the same time, and what to do; null: all can. */
export function collectConflict(targets: readonly CollectTarget[]): string | null {
  for (const [i, { context, listen }] of targets.entries()) {
    for (const before of targets.slice(0, i)) {
      if (before.context === context) {
        return `context ${context} is to be collected twice: name it once`;
      }
      const [shared] = addressesOf(before.listen).filter((one) =>
        addressesOf(listen).some((other) => overlap(one, other)),
      );
      if (shared === undefined) continue;
      return (
        `contexts ${before.context} and ${context} would both receive at udp port ${shared.port}: ` +
        `give each a port of its own, as ${context}=PORT does`
      );
    }
  }
  return null;
}

const addressesOf = (listen: ListenAddress | null): readonly ListenAddress[] =>
  listen === null ? DEFAULT_LISTEN : [listen];

/** Port 0 is any that is free. */
const overlap = (a: ListenAddress, b: ListenAddress): boolean =>
  a.port !== 0 && a.port === b.port && (includes(a, b) || includes(b, a));

const includes = ({ address }: ListenAddress, other: ListenAddress): boolean =>
  address === other.address ||
  address === '::' ||
  (address === '0.0.0.0' && !other.address.includes(':'));
