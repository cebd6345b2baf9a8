import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../domain/errors.ts';
import { compileNetworks } from '../../domain/filters/network-filter.ts';
import { addressBytesOf, type KeyText } from '../../domain/keys/key-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { boundedCache } from '../bounded-cache.ts';

/**
 * Location of an address. `unroutable` addresses (link-local, loopback, multicast, broadcast,
 * unspecified) are neither in a home network nor outside.
 */
export type AddressScope = 'home' | 'outside' | 'unroutable';

/** RFC 1918 and the unique local addresses of RFC 4193 (operations, "Flows to counters"). */
export const DEFAULT_HOME = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** Returns whether `text` can be a home network: CIDR form, or a single address. */
export function isNetworkAddress(text: string): boolean {
  try {
    compileNetworks([text], ['ip'], 'home');
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

const UNROUTABLE: ReadonlySet<string> = new Set([
  'linkLocal',
  'loopback',
  'multicast',
  'broadcast',
  'unspecified',
]);

/**
 * Returns a function that locates an address, given as a key of kind `ip`. Throws if an entry of
 * `home` is neither a network in CIDR form nor an address.
 */
export function addressScopes(home: readonly string[]): (address: KeyText) => AddressScope {
  const isHome = compileNetworks(home, ['ip'], '--home');
  return boundedCache(LIMITS.importKnownAddresses, (address: KeyText) => {
    // Home comes first: a user who names a link-local network as home means it.
    if (isHome([address])) return 'home';
    const bytes = addressBytesOf('ip', address) ?? [];
    return UNROUTABLE.has(ipaddr.fromByteArray(bytes).range()) ? 'unroutable' : 'outside';
  });
}

/** Direction knows only home and outside; an unroutable address did not come from outside. */
export const countsAsHome = (scope: AddressScope): boolean => scope !== 'outside';
