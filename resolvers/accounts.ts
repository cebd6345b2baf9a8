import { malformed, serviceError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { isStorable } from '../domain/text/storable-text.ts';
import type { EpochSeconds } from '../domain/time/interval.ts';
import type { Identity } from './callers/identity.ts';
import { signedIn } from './contexts.ts';
import type { AccountRow, AuditRow, SessionOfRow, TokenOfRow } from './loaders/access-loaders.ts';
import type { NodeLoaders } from './loaders/node-loaders.ts';
import type { RequestScope } from './request-scope.ts';

export type { AuditRow, GrantRow, SessionOfRow, TokenOfRow } from './loaders/access-loaders.ts';

/** A user, or a group of an identity provider. */
export type AccountView = {
  readonly row: AccountRow;
  readonly loaders: Pick<NodeLoaders, 'access'>;
};

/** Returns the caller. Error: `notAdmin`. */
export function requireAdmin(scope: RequestScope): Identity {
  const identity = signedIn(scope);
  if (identity.isAdmin) return identity;
  throw serviceError('notAdmin', { username: identity.username });
}

/** Returns users and groups by name, as the primary has them; names: only these, null for all. */
export async function listAccounts(
  scope: RequestScope,
  names: readonly string[] | null,
): Promise<AccountView[]> {
  requireAdmin(scope);
  const { reads } = scope;
  reads.requireReadable(reads.primaryUrl);
  const loaders = reads.at(reads.primaryUrl);
  // PostgreSQL's texts cannot contain NUL, so nobody has such a name.
  const rows = await loaders.access.accounts(names?.filter(isStorable) ?? null);
  return rows.map((row) => ({ row, loaders }));
}

export const tokensOf = ({ row, loaders }: AccountView): Promise<TokenOfRow[]> =>
  loaders.access.tokens.load(row.userId);

export const sessionsOf = ({ row, loaders }: AccountView): Promise<SessionOfRow[]> =>
  loaders.access.sessions.load(row.userId);

type AuditQuestion = {
  readonly since: EpochSeconds | null;
  readonly user: string | null;
  readonly maxItems: number;
};

/** Returns rows of the audit, newest first. Errors: `notAdmin`, `maxItems` out of range. */
export async function listAudit(
  scope: RequestScope,
  { since, user, maxItems }: AuditQuestion,
): Promise<AuditRow[]> {
  requireAdmin(scope);
  if (maxItems < 0 || maxItems > LIMITS.auditRows) {
    throw malformed('maxItems', `an integer from 0 to ${LIMITS.auditRows}`, maxItems);
  }
  if (user !== null && !isStorable(user)) return [];
  const { reads } = scope;
  reads.requireReadable(reads.primaryUrl);
  return reads.at(reads.primaryUrl).access.audit({ since, user, most: maxItems });
}

/** A value of the detail of a row of the audit, as text. */
export type AuditDetailView = { readonly name: string; readonly value: string };

/** Returns what a row of the audit says more; what is no text is JSON. */
export const detailsOf = ({ detail }: AuditRow): AuditDetailView[] =>
  Object.entries(detail).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
