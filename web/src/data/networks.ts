import { PREFIXES, type Prefix } from '../address/prefix.ts';
import { type ContextChoice, type GroupChoice, groupOf, HOSTS } from './choices.ts';

type Kind = Pick<GroupChoice, 'keyKind'>;

const KINDS: ReadonlySet<string> = new Set(['IP', 'IPV4', 'IPV6']);

/** Returns whether the group's keys can be rolled up to networks. */
export const hasNetworks = (group: Kind | null): boolean =>
  group !== null && KINDS.has(group.keyKind);

/** Returns the group of all hosts, or else the first one of addresses. */
export const hostsOf = (context: ContextChoice | null): GroupChoice | null =>
  groupOf(context, HOSTS) ?? context?.counterGroups.find((group) => hasNetworks(group)) ?? null;

/** Returns the lengths that matter to a group: `/24`, or `/24 (IPv6 /48)` for both families. */
export function prefixName({ ipv4, ipv6 }: Prefix, group: Kind | null): string {
  if (group?.keyKind === 'IPV4') return `/${ipv4}`;
  return group?.keyKind === 'IPV6' ? `/${ipv6}` : `/${ipv4} (IPv6 /${ipv6})`;
}

/** Returns the networks as part of a sentence; null if keys are not rolled up. */
export const inNetworks = (prefix: Prefix | null, group: Kind | null): string | null =>
  prefix && `in networks ${prefixName(prefix, group)}`;

/**
 * Converts a network's raw key, whose length is hexadecimal, to CIDR form: `C0.A8.01.00/18` is
 * `192.168.1.0/24`. Returns null if it is not the key of a network.
 */
export function cidrOf(rawKey: string): string | null {
  const [, hex, bits] = /^((?:[0-9A-F]{2}\.)+[0-9A-F]{2})\/([0-9A-F]{2})$/.exec(rawKey) ?? [];
  const bytes = hex?.split('.').map((byte) => Number.parseInt(byte, 16)) ?? [];
  const length = Number.parseInt(bits ?? '', 16);
  if (bytes.length === 4 && length <= 32) return `${bytes.join('.')}/${length}`;
  return bytes.length === 16 && length <= 128 ? `${ipv6Text(bytes)}/${length}` : null;
}

/** Formats an address as in URLs (WHATWG URL, host serializing), which is the form of RFC 5952. */
function ipv6Text(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    (256 * (bytes[2 * index] ?? 0) + (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** Returns the lengths that are offered for a closer look into a network. */
export function prefixesWithin(cidr: string): readonly Prefix[] {
  const length = Number(cidr.split('/')[1]);
  const family = cidr.includes(':') ? 'ipv6' : 'ipv4';
  return PREFIXES.filter((prefix) => prefix[family] > length);
}
