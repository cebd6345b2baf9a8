import { foldCase } from '../../domain/filters/search-text.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { findKey, type KeyList, keyAt } from '../keys/key-list.ts';
import type { FindAmong } from './find-among.ts';
import { addAll, addKey, hasKey, type KeySet, nextKey, removeKey } from './key-set.ts';
import { keysWithParts } from './listed-keys.ts';
import { labelText, type OwnLabels, rawParts, readableText } from './plain-texts.ts';

type LabelSearch = {
  readonly codec: KeyCodec;
  readonly search: string;
  readonly labels: OwnLabels;
};

/**
 * Finds the keys that have a text in their label or in what people read of them, where `find` does
 * so as if nobody had given them a label. It looks at the keys one by one that have a label of
 * their own. Of cross-keys, a part's label mostly matters only where the text is in it; only when
 * it may go on in the next part, or replaces a default label, all keys with such a part are looked
 * at, some microseconds each.
 */
export function labelledFinder(labelSearch: LabelSearch, find: FindAmong): FindAmong {
  const { codec, labels } = labelSearch;
  const parts = labels.parts.map((given, part) => partFinders(labelSearch, given, part));
  const test = plainTest(labelSearch);
  return (keys, among) => {
    const found = find(keys, among);
    const judge = (ordinal: number) => {
      if (test(keys, ordinal)) addKey(found, ordinal);
      else removeKey(found, ordinal);
    };
    for (const { passing } of parts) addAll(found, passing(keys, among));
    for (const { uncertain } of parts) eachKey(uncertain(keys, among), judge);
    for (const text of labels.keys.keys()) {
      const key = codec.encodeIfKey(text);
      const place = key === null ? null : findKey(keys, key);
      if (place?.isThere && hasKey(among, place.ordinal)) judge(place.ordinal);
    }
    return found;
  };
}

function eachKey(set: KeySet, visit: (ordinal: number) => void): void {
  for (let i = nextKey(set, 0); i < set.count; i = nextKey(set, i + 1)) visit(i);
}

/** The keys that pass for this part's label, and those that have to be looked at for it. */
function partFinders(
  { codec, search }: LabelSearch,
  given: ReadonlyMap<string, string>,
  part: number,
): { passing: FindAmong; uncertain: FindAmong } {
  const wanted = foldCase(search);
  const kind = codec.kinds[part];
  const replacesDefault = kind === 'port' || kind === 'country';
  if (replacesDefault || wanted.includes('\\')) {
    return {
      passing: keysWithParts(codec, part, []),
      uncertain: keysWithParts(codec, part, given.keys()),
    };
  }
  // A label without one replaces what people read, in which the text is looked for all the same.
  const matching = [...given].filter(([, label]) => foldCase(label).includes(wanted));
  return {
    passing: keysWithParts(
      codec,
      part,
      matching.map(([text]) => text),
    ),
    uncertain: keysWithParts(codec, part, []),
  };
}

function plainTest({
  codec,
  search,
  labels,
}: LabelSearch): (keys: KeyList, ordinal: number) => boolean {
  const wanted = foldCase(search);
  return (keys, ordinal) => {
    const parts = rawParts(codec, keyAt(keys, ordinal));
    return (
      foldCase(labelText(codec.kinds, parts, labels)).includes(wanted) ||
      foldCase(readableText(codec.kinds, parts)).includes(wanted)
    );
  };
}
