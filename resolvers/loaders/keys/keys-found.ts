import type { KeyFilter } from '../../../domain/filters/key-filter.ts';
import { hasKey as isIn } from '../../../segments/filter/key-set.ts';
import { keyMatcher } from '../../../segments/filter/match-keys.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import type { ListedKeys } from './key-pages.ts';

/** Finds the keys of a page that pass a filter. Errors: those of compileKeyFilter. */
export function keysFound(
  { codec }: SegmentGroup,
  filter: KeyFilter,
  /** Those that a search looks at; null: there is none. */
  labels: OwnLabels | null,
): NonNullable<ListedKeys['matches']> {
  const matches = keyMatcher(codec, filter);
  return async (keys) => {
    const found = matches(keys, labels ? { labels } : {});
    return (ordinal) => isIn(found, ordinal);
  };
}
