import { insertAudit } from '../../db/sql/audit.ts';
import { type KeyTextsUpsert, upsertKeyTexts } from '../../db/sql/key-texts.ts';
import { type SliceTags, updateSliceTags } from '../../db/sql/slices.ts';
import type { AuditActor, AuditDetail } from '../../domain/audit/audit-entry.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import type { RequestReads } from './request-reads.ts';

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

type SliceTagsChange = {
  readonly slice: SliceTags;
  readonly audit: { readonly by: AuditActor; readonly context: string };
};

/** Sets the tags of a slice; null: the context has no such slice. */
export const changeSliceTags = (
  reads: Pick<RequestReads, 'change'>,
  { slice, audit: { by, context } }: SliceTagsChange,
): Promise<{ isChanged: boolean } | null> =>
  reads.change('update-slice-tags', async (connection) => {
    const found = await updateSliceTags(connection, slice);
    if (!found?.isChanged) return found;
    const object = sliceName(found.startsAt, found.engine);
    const detail = { context, tags: slice.tags };
    await insertAudit(connection, [{ action: 'slice tagged', object, detail }], by);
    return found;
  });
