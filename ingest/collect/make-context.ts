import { saveGrant } from '../../access/accounts.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import { selectContext } from '../../db/sql/contexts.ts';
import { runImport } from '../session/import-session.ts';

type ContextToMake = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly engine: number;
  /** The user who is granted the context as an editor, if it is created; null: nobody is. */
  readonly grant: string | null;
  readonly onWaiting: () => void;
  readonly signal: AbortSignal;
};

/**
 * Creates a context unless it exists, so that the exporters which send to it can be seen before
 * their first flows are committed. Returns whether it did. Errors: there is no such user.
 */
export async function makeCollectedContext({ grant, ...target }: ContextToMake): Promise<boolean> {
  const { databaseUrl, context, signal } = target;
  const found = await withConnection({ databaseUrl, signal }, 'import', (connection) =>
    selectContext(connection, context),
  );
  if (found !== null) return false;
  const now = () => Math.floor(Date.now() / 1000);
  return runImport(
    { ...target, source: 'collect', makesContext: true, now },
    async ({ connection, isNew }) => {
      if (isNew && grant !== null) {
        const limit = { networks: [], probes: [], groups: [] };
        const to = { name: grant, isGroup: false, context, role: 'editor', limit } as const;
        await saveGrant(connection, to);
      }
      return isNew;
    },
  );
}
