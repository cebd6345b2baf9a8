import type { AccountFragment, UserDetailsQuery } from '../../../generated/operations.ts';
import type { Account } from '../../address/address.ts';
import { isolated } from '../../format/isolated.ts';
import type { ContextChoice } from '../choices.ts';

export type ListedAccount = AccountFragment;
export type AccountDetails = NonNullable<UserDetailsQuery['users']>[number];
export type Grant = ListedAccount['grants'][number];

export const isSame = (a: Account, b: Account | null): boolean =>
  b !== null && a.name === b.name && a.isGroup === b.isGroup;

/** Says what an account is, for the list. */
export const kindOf = ({ isGroup, isAdmin }: ListedAccount): string =>
  isGroup ? (isAdmin ? 'group of administrators' : 'group') : isAdmin ? 'administrator' : 'user';

export const ROLES = { READER: 'reader', EDITOR: 'editor' } as const;

/** Returns what a grant is limited to, in words; null: to nothing. */
export function limitText(grant: Grant, contexts: readonly ContextChoice[]): string | null {
  const { onlyNetworks, onlyProbes, onlyGroups } = grant;
  const groups = onlyGroups?.map((guid) => groupName(guid, grant.context, contexts)) ?? null;
  const parts = [
    onlyNetworks && listText('network', onlyNetworks),
    onlyProbes && listText('probe', onlyProbes),
    groups && listText('counter group', groups),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : `only ${parts.join(', and only ')}`;
}

const listText = (noun: string, names: readonly string[]): string =>
  `${noun}${names.length === 1 ? '' : 's'} ${names.map(isolated).join(', ')}`;

/** Returns the name of a counter group; its GUID if the viewer may not see the context. */
function groupName(guid: string, context: string, contexts: readonly ContextChoice[]): string {
  const groups = contexts.find(({ name }) => name === context)?.counterGroups ?? [];
  return groups.find((group) => group.guid === guid)?.name ?? guid;
}

export const ACCOUNT_FILTERS = {
  all: 'all',
  users: 'users',
  groups: 'groups',
  administrators: 'administrators',
} as const;

export type AccountFilter = keyof typeof ACCOUNT_FILTERS;

/** Returns the accounts of a kind whose names, or those of their contexts, contain a text. */
export function matching(
  accounts: readonly ListedAccount[],
  { text, show }: { readonly text: string; readonly show: AccountFilter },
): readonly ListedAccount[] {
  const wanted = text.trim().toLowerCase();
  const isOfKind = {
    all: () => true,
    users: ({ isGroup }: ListedAccount) => !isGroup,
    groups: ({ isGroup }: ListedAccount) => isGroup,
    administrators: ({ isAdmin }: ListedAccount) => isAdmin,
  }[show];
  const hasText = ({ name, shownName, grants }: ListedAccount) =>
    [name, shownName ?? '', ...grants.map(({ context }) => context)].some((each) =>
      each.toLowerCase().includes(wanted),
    );
  return accounts.filter((account) => isOfKind(account) && hasText(account));
}
