import { isTokenName, TOKEN_NAME_FORM } from '../../domain/callers/token-name.ts';
import { isUsername } from '../../domain/callers/username.ts';
import { malformed, serviceError } from '../../domain/errors.ts';
import { isName, isStorable, NAME_FORM } from '../../domain/text/storable-text.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { type AccountView, listAccounts } from '../accounts.ts';
import type { AccessMutation } from '../audited-change.ts';
import { signedIn } from '../contexts.ts';
import {
  type AccessChanges,
  type Account,
  accessChanges,
  type GrantToSave,
  type MadeToken,
} from '../loaders/access-changes.ts';
import type { RequestScope } from '../request-scope.ts';
import { makeOnce } from './require-editor.ts';

export type { MadeToken } from '../loaders/access-changes.ts';

/** A field that changes something. */
export type ChangingField = {
  readonly scope: RequestScope;
  /** The name of the field in the answer. */
  readonly name: string;
};

type Change<T> = {
  readonly mutation: AccessMutation;
  /** The name of the user or group. */
  readonly object: string;
  /** The arguments. */
  readonly given: object;
  readonly make: (changes: AccessChanges) => Promise<T>;
};

/**
 * Makes a change of an administrator, and logs it. Errors: `notAdmin`, and those of the change;
 * `unreachable` if a node other than the primary authenticated the caller.
 */
async function administer<T>(
  { scope, name }: ChangingField,
  { mutation, object, given, make }: Change<T>,
): Promise<T> {
  const { username, isAdmin, claim, tokenDigest, nodeUrl } = signedIn(scope);
  const by = { user: username, from: scope.from };
  if (nodeUrl !== scope.reads.primaryUrl) throw serviceError('unreachable');
  if (!isAdmin) {
    scope.onChange({ ...by, mutation, object, refused: true });
    throw serviceError('notAdmin', { username });
  }
  requireStorable(given);
  const session = 'session' in claim ? claim.session : null;
  const groups = 'vouched' in claim ? claim.groups : [];
  const caller = { username, tokenDigest, session, groups };
  return makeOnce(scope, name, async () => {
    const made = await make(accessChanges(scope.reads, { caller, by }));
    scope.onChange({ ...by, mutation, object });
    return made;
  });
}

/** Errors: a text that PostgreSQL cannot hold, so that it is nobody's name. */
function requireStorable(given: object): void {
  for (const [name, value] of Object.entries(given)) {
    for (const text of [value].flat()) {
      if (typeof text === 'string' && !isStorable(text)) {
        throw malformed(name, 'a text without the character NUL', text);
      }
    }
  }
}

/** Returns a user or group as it is now; null: it has been removed since. */
async function accountNow(
  scope: RequestScope,
  { name, isGroup }: Account,
): Promise<AccountView | null> {
  const found = await listAccounts(scope, [name]);
  return found.find(({ row }) => row.isGroup === isGroup) ?? null;
}

type AccountWithRights = Account & { readonly isAdmin: boolean };

async function addUser(
  field: ChangingField,
  given: AccountWithRights,
): Promise<AccountView | null> {
  const { name, isGroup } = given;
  await administer(field, {
    mutation: 'addUser',
    object: name,
    given,
    make(changes) {
      if (isGroup ? isName(name) : isUsername(name)) return changes.addUser(given);
      throw malformed('name', isGroup ? NAME_FORM : `${NAME_FORM}, and without colons`, name);
    },
  });
  return accountNow(field.scope, given);
}

async function removeUser(field: ChangingField, given: Account): Promise<true> {
  await administer(field, {
    mutation: 'removeUser',
    object: given.name,
    given,
    make: (changes) => changes.removeUser(given),
  });
  return true;
}

async function setAdmin(
  field: ChangingField,
  given: AccountWithRights,
): Promise<AccountView | null> {
  await administer(field, {
    mutation: 'setAdmin',
    object: given.name,
    given,
    make: (changes) => changes.setAdmin(given),
  });
  return accountNow(field.scope, given);
}

async function saveGrant(field: ChangingField, given: GrantToSave): Promise<AccountView | null> {
  await administer(field, {
    mutation: 'saveGrant',
    object: given.name,
    given: { ...given, ...given.limit },
    make: (changes) => changes.saveGrant(given),
  });
  return accountNow(field.scope, given);
}

async function revokeGrant(
  field: ChangingField,
  given: Account & { readonly context: string },
): Promise<AccountView | null> {
  await administer(field, {
    mutation: 'revokeGrant',
    object: given.name,
    given,
    make: (changes) => changes.revokeGrant(given),
  });
  return accountNow(field.scope, given);
}

type NamedToken = { readonly user: string; readonly name: string };

const makeToken = (
  field: ChangingField,
  given: NamedToken & { readonly expires: EpochSeconds | null },
): Promise<MadeToken> =>
  administer(field, {
    mutation: 'makeToken',
    object: given.user,
    given,
    make(changes) {
      if (isTokenName(given.name)) return changes.makeToken(given);
      throw malformed('name', TOKEN_NAME_FORM, given.name);
    },
  });

async function revokeToken(field: ChangingField, given: NamedToken): Promise<AccountView | null> {
  await administer(field, {
    mutation: 'revokeToken',
    object: given.user,
    given,
    make: (changes) => changes.revokeToken(given),
  });
  return accountNow(field.scope, { name: given.user, isGroup: false });
}

/** Returns how many sessions were ended. */
const endSessions = (field: ChangingField, given: Account): Promise<number> =>
  administer(field, {
    mutation: 'endSessions',
    object: given.name,
    given,
    make: (changes) => changes.endSessions(given),
  });

/** What administrators may change: users, groups of an identity provider, tokens and grants. */
export const administration = {
  addUser,
  removeUser,
  setAdmin,
  saveGrant,
  revokeGrant,
  makeToken,
  revokeToken,
  endSessions,
};
