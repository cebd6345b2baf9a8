import { addUser } from '../../../access/users.ts';
import type { Role } from '../../../domain/callers/role.ts';
import { group, guidOf, type Lab, startLab, T0 } from './lab.ts';
import { ADA, basic, CONTEXT, type Credentials, type TestService } from './service.ts';

export const HOSTS = guidOf(1);
export const PAIRS = guidOf(2);
export const READER: Credentials = { username: 'rita', token: 'rita-token' };
export const STRANGER: Credentials = { username: 'sam', token: 'sam-token' };

/** The raw keys of 10.0.0.1 and so on. */
export const host = (n: number): string => `0A.00.${hex(Math.floor(n / 256))}.${hex(n % 256)}`;

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** Gives an existing user a role in the context. */
export const setRole = (
  { write }: Pick<TestService, 'write'>,
  role: Role,
  { username: name }: Credentials = ADA,
) => write((connection) => addUser(connection, { name, contexts: [CONTEXT], role }));

/** A service with a group of hosts, one of their pairs, an editor, a reader and a stranger. */
export async function startEditingLab(options: Omit<Lab, 'groups'> = {}): Promise<TestService> {
  const lab = await startLab({
    groups: [
      group(1, { key_kind: 'ip', name: 'Hosts' }),
      group(2, {
        name: 'Pairs',
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: HOSTS },
      }),
      group(3, { enabled: false }),
    ],
    lines: [{ group: HOSTS, key: host(1), ts: T0, values: { 0: 5 } }],
    ...options,
  });
  await setRole(lab, 'editor');
  await lab.addUser(READER, [CONTEXT]);
  await lab.addUser(STRANGER, []);
  return lab;
}

/** A `KeyUpdateInput` that a test sends. */
export type Given = Readonly<Record<string, unknown>>;

export const UPDATE_KEYS = `mutation($keys: [KeyUpdateInput!]!, $guid: Guid!, $context: String!) {
  updateKeys(context: $context, counterGroup: $guid, keys: $keys) {
    key readable label description attributes { name value }
  }
}`;

export type Sending = {
  readonly as?: Credentials;
  readonly guid?: string;
  readonly context?: string;
};

type Answered = { readonly updateKeys: readonly Record<string, unknown>[] | null };

export const sendKeys = (
  { graphql }: Pick<TestService, 'graphql'>,
  keys: readonly Given[],
  { as = ADA, guid = HOSTS, context = CONTEXT }: Sending = {},
) => graphql<Answered>(UPDATE_KEYS, { keys, guid, context }, basic(as));

/** The labels that a server returns for hosts. */
export async function labelsOf(
  { data }: Pick<TestService, 'data'>,
  keys: readonly string[],
): Promise<(string | null)[]> {
  const fields = keys.map((key, i) => `k${i}: key(key: "${key}") { label }`).join(' ');
  const query = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${HOSTS}") { ${fields} } } }`;
  type Found = { context: { counterGroup: Record<string, { label: string } | null> } };
  const { context } = await data<Found>(query);
  return keys.map((_, i) => context.counterGroup[`k${i}`]?.label ?? null);
}
