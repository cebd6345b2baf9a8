import { malformed } from '../errors.ts';
import { type Network, parseNetwork } from '../keys/address-forms.ts';
import { parseAddress } from '../keys/address-text.ts';
import type { SimpleKeyKind } from '../keys/key-kind.ts';
import { addressBytesOf, isAddressKind } from '../keys/key-text.ts';
import { runWhole, type Sliced } from '../sliced.ts';

/**
 * The networks of one address family by prefix length, each as the number formed by its first bits.
 * So a key takes one lookup for each length in use, however many networks there are.
 */
type Networks = Map<number, Set<bigint>>;

/**
 * Compiles a test for whether any address among a key's parts lies in one of `networks` (decisions,
 * section 10). Bare addresses are hosts, host bits are ignored, and an IPv4 address never lies in
 * an IPv6 network, or the other way round.
 */
export function compileNetworks(
  networks: readonly string[],
  kinds: readonly SimpleKeyKind[],
  name: string,
): (parts: readonly string[]) => boolean {
  const families = byFamily(runWhole(readNetworks(networks, kinds, name)));
  return (parts) =>
    kinds.some((kind, i) => {
      const bytes = addressBytesOf(kind, parts[i] ?? '');
      const family = bytes === null ? undefined : families.get(bytes.length);
      return bytes !== null && family !== undefined && isInside(bytes, family);
    });
}

/** Parses a filter's networks for keys of `kinds`. Throws `malformedValue` as compileNetworks. */
export function* readNetworks(
  networks: readonly string[],
  kinds: readonly SimpleKeyKind[],
  name: string,
): Sliced<Network[]> {
  if (!kinds.some(isAddressKind)) {
    throw malformed(name, 'left out for a group whose keys are not addresses', networks.join(','));
  }
  return yield* parseNetworks(networks, name);
}

/** Parses networks; bare addresses are hosts. Throws `malformedValue` for anything else. */
export function* parseNetworks(networks: readonly string[], name: string): Sliced<Network[]> {
  const parsed: Network[] = [];
  for (const text of networks) {
    parsed.push(readNetwork(text, name));
    yield;
  }
  return parsed;
}

function readNetwork(text: string, name: string): Network {
  const network = parseNetwork(text) ?? parseHost(text);
  if (network === null) throw malformed(name, 'addresses or networks in CIDR form', text);
  return network;
}

function parseHost(text: string): Network | null {
  const bytes = parseAddress(text);
  return bytes === null ? null : { bytes, prefix: bytes.length * 8 };
}

/** Groups networks by family, identified by the bytes of its addresses: 4 or 16. */
function byFamily(networks: readonly Network[]): Map<number, Networks> {
  const families = new Map<number, Networks>();
  for (const { bytes, prefix } of networks) {
    const family: Networks = families.get(bytes.length) ?? new Map();
    const members = family.get(prefix) ?? new Set();
    families.set(bytes.length, family.set(prefix, members.add(firstBits(bytes, prefix))));
  }
  return families;
}

function isInside(bytes: readonly number[], networks: Networks): boolean {
  for (const [prefix, members] of networks) {
    if (members.has(firstBits(bytes, prefix))) return true;
  }
  return false;
}

function firstBits(bytes: readonly number[], count: number): bigint {
  const value = bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  return value >> BigInt(bytes.length * 8 - count);
}
