import type { KeyFilter } from '../../../domain/filters/key-filter.ts';
import { hasKey as isIn } from '../../../segments/filter/key-set.ts';
import { keyMatcher } from '../../../segments/filter/match-keys.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import type { ListedKeys } from './key-pages.ts';

/** Returns a function that finds the keys that pass a filter. Errors: those of compileKeyFilter. */
export function keysFound(
  { codec }: SegmentGroup,
  filter: KeyFilter,
  /** The labels that a search uses; null: the filter has no search. */
  labels: OwnLabels | null,
): NonNullable<ListedKeys['matches']> {
  const matches = keyMatcher(codec, filter);
  return async (keys) => {
    const found = matches(keys, labels ? { labels } : {});
    return (ordinal) => isIn(found, ordinal);
  };
}
