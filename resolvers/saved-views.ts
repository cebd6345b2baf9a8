import type { ContextView } from './contexts.ts';
import type { SavedViewRow } from './loaders/access-loaders.ts';
import type { RequestScope } from './request-scope.ts';

/** A saved view as the caller sees it. */
export type SavedView = SavedViewRow;

/**
 * Returns the views of a context, as the primary has them: the caller's own, then what others
 * share. Who may see a part of the context only sees none of theirs, because addresses name keys.
 */
export function listViews(
  { reads }: RequestScope,
  { contextId }: Pick<ContextView, 'contextId'>,
): Promise<SavedView[]> {
  reads.requireReadable(reads.primaryUrl);
  return reads.at(reads.primaryUrl).access.views.load(contextId);
}
