import { hasKey as isIn } from '../../../segments/filter/key-set.ts';
import { keyMatcher } from '../../../segments/filter/match-keys.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import type { ListedKeys } from './key-pages.ts';

/** The keys that a search finds, as pages of keys ask for them. */
export function keysFound(
  { codec }: SegmentGroup,
  search: string,
  labels: OwnLabels,
): NonNullable<ListedKeys['matches']> {
  const matches = keyMatcher(codec, { search });
  return async (keys) => {
    const found = matches(keys, { labels });
    return (ordinal) => isIn(found, ordinal);
  };
}
