import { insertAudit } from '../../../db/sql/audit.ts';
import { type KeyTextsUpsert, upsertKeyTexts } from '../../../db/sql/key-texts.ts';
import type { AuditActor, AuditDetail } from '../../../domain/audit/audit-entry.ts';
import type { RequestReads } from '../request-reads.ts';

type KeyTextsChange = {
  readonly updates: readonly KeyTextsUpsert[];
  readonly audit: {
    readonly by: AuditActor;
    /** The GUID of the keys' group. */
    readonly object: string;
    readonly detail: AuditDetail;
  };
};

/** Changes the texts of keys, all or none. Returns how many keys were different before. */
export const changeKeyTexts = (
  reads: Pick<RequestReads, 'change'>,
  { updates, audit: { by, object, detail } }: KeyTextsChange,
): Promise<number> =>
  reads.change('upsert-key-texts', async (connection) => {
    const changed = await upsertKeyTexts(connection, updates);
    const entry = { action: 'keys changed', object, detail: { ...detail, changed } } as const;
    if (changed > 0) await insertAudit(connection, [entry], by);
    return changed;
  });
