import type { KeyFilter } from '../../../domain/key-filter.ts';
import { hasKey as isIn, type KeySet } from '../../../segments/filter/key-set.ts';
import { keyMatcher } from '../../../segments/filter/match-keys.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import type { KeyBits } from '../../../topk/key-bits.ts';
import type { ListedKeys } from './key-pages.ts';
import type { KeysPassing, SegmentGroup } from './key-questions.ts';

/** Labels that were given to keys, at one version of a context's texts. */
export type VersionedLabels = { readonly version: number; readonly labels: OwnLabels };

/**
 * A filter as toppers ask for it. `labels` is for one that searches: it holds at their version; of
 * any other, what passes never changes. Errors: those of compileKeyFilter.
 */
export function keysPassing(
  { codec }: SegmentGroup,
  filter: KeyFilter,
  labels: VersionedLabels | null,
): KeysPassing {
  const matches = keyMatcher(codec, filter);
  const version = labels === null ? '' : ` ${labels.version}`;
  return {
    name: `${JSON.stringify(filter)}${version}`,
    match: async (keys) => toBits(matches(keys, labels ? { labels: labels.labels } : {})),
  };
}

/** The same bits, as the kernel has them: its keys are of one shard. */
const toBits = ({ count, words }: KeySet): KeyBits => ({
  starts: Uint32Array.of(0, count),
  bits: words,
});

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
