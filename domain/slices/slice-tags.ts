import { malformed } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** The tags that say where a slice is stored: users cannot set them. */
const PLACE_TAGS = { stored: 'primary', archived: 'archive' } as const;

/** Returns the tag of decision 17, then the tags that users set. */
export const tagsOf = ({
  archived,
  tags,
}: {
  readonly archived: boolean;
  readonly tags: readonly string[];
}): string[] => [archived ? PLACE_TAGS.archived : PLACE_TAGS.stored, ...tags];

/** Checks the tags that a user sets on a slice, and returns them. */
export function parseTags(given: readonly string[]): readonly string[] {
  if (given.length > LIMITS.sliceTags) {
    throw malformed('tags', `a list of at most ${LIMITS.sliceTags} tags`, given.length);
  }
  for (const [i, tag] of given.entries()) {
    const must = faultOf(tag) ?? (given.indexOf(tag) < i ? 'a tag that is not given twice' : null);
    if (must !== null) throw malformed(`tags[${i}]`, must, tag);
  }
  return given;
}

/** Returns what the tag must be but is not; null if it is valid. */
function faultOf(tag: string): string | null {
  const most = LIMITS.sliceTagCharacters;
  const isTag =
    tag !== '' &&
    [...tag].length <= most &&
    tag.trim() === tag &&
    !/[\p{Control}\p{Surrogate}]/u.test(tag);
  if (!isTag) return `1 to ${most} characters, without control characters and outer spaces`;
  const isOfPlace = Object.values(PLACE_TAGS).some((place) => place === tag);
  return isOfPlace ? 'another tag, as this one says where the slice is' : null;
}
