import { type AccountRow, selectAccounts } from '../../db/sql/accounts.ts';
import { type AuditRow, selectNewestAudit } from '../../db/sql/audit.ts';
import { selectSessionsOf } from '../../db/sql/sessions.ts';
import { selectTokensOf } from '../../db/sql/tokens.ts';
import { manyLoader } from '../../engine/snapshot/batch.ts';
import type { NodeReader } from '../../engine/snapshot/node-reader.ts';

export type { AccountRow, GrantRow } from '../../db/sql/accounts.ts';
export type { AuditRow } from '../../db/sql/audit.ts';
export type { SessionOfRow } from '../../db/sql/sessions.ts';
export type { TokenOfRow } from '../../db/sql/tokens.ts';

/** Creates the loaders of users and of the audit. No version of a context says what they hold. */
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
    /** The newest rows of the audit. */
    audit: (selection: Parameters<typeof selectNewestAudit>[1]): Promise<AuditRow[]> =>
      selectNewestAudit(session, selection),
  };
}
