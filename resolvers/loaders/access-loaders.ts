import { type AccountRow, selectAccounts } from '../../db/sql/accounts.ts';
import { type AuditRow, selectNewestAudit } from '../../db/sql/audit.ts';
import { selectSavedViews } from '../../db/sql/saved-views.ts';
import { selectSessionsOf } from '../../db/sql/sessions.ts';
import { selectTokensOf } from '../../db/sql/tokens.ts';
import { LIMITS } from '../../domain/limits.ts';
import { manyLoader } from '../../engine/snapshot/batch.ts';
import type { NodeReader } from '../../engine/snapshot/node-reader.ts';

export type { AccountRow, GrantRow } from '../../db/sql/accounts.ts';
export type { AuditRow } from '../../db/sql/audit.ts';
export type { SavedViewRow } from '../../db/sql/saved-views.ts';
export type { SessionOfRow } from '../../db/sql/sessions.ts';
export type { TokenOfRow } from '../../db/sql/tokens.ts';

/**
 * Creates the loaders of users, their views, and of the audit. No version of a context says what
 * they hold.
 */
export function createAccessLoaders(reader: NodeReader) {
  const { session } = reader;
  return {
    /** Users and groups by name; names: only these, null for all. */
    accounts: (names: readonly string[] | null): Promise<AccountRow[]> =>
      selectAccounts(session, names),
    /** The tokens of a user, oldest first. */
    tokens: manyLoader(
      reader,
      (userIds: readonly number[]) => selectTokensOf(session, userIds),
      (row) => row.userId,
    ),
    /** The sessions of a user that go on, newest first. */
    sessions: manyLoader(
      reader,
      (userIds: readonly number[]) => selectSessionsOf(session, userIds),
      (row) => row.userId,
    ),
    /** The views of a context that the caller sees, the caller's own first. */
    views: manyLoader(
      reader,
      (contextIds: readonly number[]) =>
        selectSavedViews(session, {
          username: reader.caller.user,
          contextIds,
          sharedIn: contextIds.filter((id) => reader.limitOf(id) === null),
          limit: LIMITS.listedViews,
        }),
      (row) => row.contextId,
    ),
    /** The newest rows of the audit. */
    audit: (selection: Parameters<typeof selectNewestAudit>[1]): Promise<AuditRow[]> =>
      selectNewestAudit(session, selection),
  };
}
