import { type SliceTags, updateSliceTags } from '../../../db/write/slices/update-slice-tags.ts';
import type { RequestReads } from '../request-reads.ts';

/** Sets the tags of a slice; null: the context has no such slice. */
export const changeSliceTags = (
  reads: Pick<RequestReads, 'change'>,
  slice: SliceTags,
): Promise<{ isChanged: boolean } | null> =>
  reads.change('update-slice-tags', (connection) => updateSliceTags(connection, slice));
