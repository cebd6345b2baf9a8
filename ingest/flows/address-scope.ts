import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../domain/errors.ts';
import { compileNetworks } from '../../domain/filters/network-filter.ts';
import { addressBytesOf, type KeyText } from '../../domain/keys/key-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { boundedCache } from '../bounded-cache.ts';

/**
 * Where an address is. `unroutable` ones (link-local, loopback, multicast, broadcast, unspecified)
 * are neither in a home network nor outside.
 */
export type AddressScope = 'home' | 'outside' | 'unroutable';

/** RFC 1918 and the unique local addresses of RFC 4193 (operations, "Flows to counters"). */
export const DEFAULT_HOME = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** Whether `text` can be a home network: CIDR form, or an address as a network of its own. */
export function isNetwork(text: string): boolean {
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
 * Tells where an address, a key of kind `ip`, is. Fails when one of `home` is neither a network in
 * CIDR form nor an address.
 */
export function addressScopes(home: readonly string[]): (address: KeyText) => AddressScope {
  const isHome = compileNetworks(home, ['ip'], '--home');
  return boundedCache(LIMITS.importKnownAddresses, (address: KeyText) => {
    // Home comes first: who names a link-local network as home means it.
    if (isHome([address])) return 'home';
    const bytes = addressBytesOf('ip', address) ?? [];
    return UNROUTABLE.has(ipaddr.fromByteArray(bytes).range()) ? 'unroutable' : 'outside';
  });
}

/** Direction knows only home and outside; what cannot be routed has not come from outside. */
export const countsAsHome = (scope: AddressScope): boolean => scope !== 'outside';
