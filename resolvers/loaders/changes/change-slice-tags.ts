import { insertAudit } from '../../../db/sql/audit.ts';
import { type SliceTags, updateSliceTags } from '../../../db/sql/slices.ts';
import type { AuditActor } from '../../../domain/audit/audit-entry.ts';
import { sliceName } from '../../../domain/slices/slice-name.ts';
import type { RequestReads } from '../request-reads.ts';

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
