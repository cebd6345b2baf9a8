import { parseTags } from '../../domain/slices/slice-tags.ts';
import { findContext } from '../contexts.ts';
import { changeSliceTags } from '../loaders/changes.ts';
import type { RequestScope } from '../request-scope.ts';
import { findSlice, type SliceView } from '../slices.ts';
import { makeOnce, requireEditor } from './require-editor.ts';

type SliceUpdate = {
  /** Name of the context. */
  readonly context: string;
  readonly sliceId: number;
  readonly tags: readonly string[];
};

/**
 * Sets the tags of a slice, and returns the changed slice. null: no such context or slice, or none
 * that the caller may see. `name`: the field's name in the answer. Errors: `notEditor`, malformed
 * tags, those of the database.
 */
export async function updateSlice(
  scope: RequestScope,
  name: string,
  { context, sliceId, tags: given }: SliceUpdate,
): Promise<SliceView | null> {
  const before = await findContext(scope, context);
  if (!before) return null;
  const { username: user } = requireEditor(scope, context, 'updateSlice');
  const { contextId } = before;
  const tags = parseTags(given);
  await makeOnce(scope, name, async () => {
    const by = { user, from: scope.from };
    const audit = { by, context };
    const slice = { contextId, sliceId, tags };
    const found = await changeSliceTags(scope.reads, { slice, audit });
    const changed = found?.isChanged ? 1 : 0;
    const change = { ...by, context, slice: sliceId, changed };
    if (found) scope.onChange({ mutation: 'updateSlice', fields: ['tags'], ...change });
  });
  const after = await findContext(scope, context);
  return after && findSlice(scope, after, sliceId);
}
