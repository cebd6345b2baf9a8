import type { Connection } from '../db/connection/connection.ts';
import { selectGroupNames } from '../db/sql/users.ts';
import type { GrantLimit } from '../domain/callers/grant-limit.ts';
import { parseNetwork } from '../domain/keys/address-forms.ts';
import { formatAddress, parseAddress } from '../domain/keys/address-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { parseGuid } from '../domain/text/guid.ts';
import { AccessError } from './access-error.ts';

/** What a grant is to be limited to, as somebody wrote it; an empty list does not limit. */
export type WrittenLimit = {
  /** Networks in CIDR form, or addresses. */
  readonly networks: readonly string[];
  readonly probes: readonly string[];
  /** GUIDs or names of counter groups. */
  readonly groups: readonly string[];
};

/** A context, and what a grant of it is limited to. */
type LimitOfContext = {
  readonly contextId: number;
  readonly context: string;
  readonly limit: WrittenLimit;
};

/** Returns a limit as it is stored. Errors: AccessError for what cannot limit a grant. */
export async function storableLimit(
  connection: Connection,
  { contextId, context, limit }: LimitOfContext,
): Promise<GrantLimit> {
  for (const [name, values] of Object.entries(limit)) {
    if (values.length > LIMITS.grantLimitItems) {
      throw new AccessError(
        `A grant must be limited to at most ${LIMITS.grantLimitItems} ${name}, got ` +
          `${values.length}: name fewer, such as larger networks`,
      );
    }
  }
  const groups = limit.groups.length > 0 ? await selectGroupNames(connection, contextId) : [];
  return {
    networks: orNull(limit.networks.map(networkOf)),
    probes: orNull(limit.probes),
    groups: orNull(limit.groups.map((text) => groupOf(text, { context, groups }))),
  };
}

const orNull = (values: readonly string[]): readonly string[] | null =>
  values.length === 0 ? null : [...new Set(values)].sort();

/** Returns a network in CIDR form, without host bits. */
function networkOf(text: string): string {
  const host = parseAddress(text);
  const network = parseNetwork(text) ?? (host && { bytes: host, prefix: 8 * host.length });
  if (network === null) {
    throw new AccessError(
      `A network must be in CIDR form, such as 192.168.1.0/24 or 2001:db8::/32, got ${JSON.stringify(text)}`,
    );
  }
  const { bytes, prefix } = network;
  const kept = bytes.map((byte, i) => byte & ~(0xff >> Math.min(8, Math.max(0, prefix - 8 * i))));
  return `${formatAddress(kept)}/${prefix}`;
}

type GroupName = { readonly guid: string; readonly name: string };

type GroupsOfContext = { readonly context: string; readonly groups: readonly GroupName[] };

function groupOf(text: string, { context, groups }: GroupsOfContext): string {
  const guid = parseGuid(text)?.slice(1, -1).toLowerCase();
  const found = groups.filter((group) => group.guid === guid || group.name === text);
  const [only, ...others] = found;
  if (only && others.length === 0) return only.guid;
  const known = groups.map(({ name }) => name).join(', ');
  if (!only) {
    const groupsOf = known ? `its groups are ${known}` : 'it has none yet, so declare it first';
    throw new AccessError(`Context ${context} has no counter group ${text}: ${groupsOf}`);
  }
  const guids = found.map((group) => `{${group.guid.toUpperCase()}}`).join(', ');
  throw new AccessError(
    `Context ${context} has ${found.length} counter groups ${text}: name one by its GUID, ${guids}`,
  );
}
