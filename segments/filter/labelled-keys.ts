import { foldCase } from '../../domain/filters/search-text.ts';
import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { mapSliced, type Sliced } from '../../domain/sliced.ts';
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
 * Finds the keys with a text in their label or readable form, where `find` does the same as if no
 * user had labelled any key. Keys that have a label of their own are tested one by one. In a
 * cross-key, the label of a part mostly matters only if it contains the text. Only if the match may
 * extend into the next part, or if the label replaces a default label, are all keys with that part
 * tested, at some microseconds each.
 */
export function labelledFinder(labelSearch: LabelSearch, find: FindAmong): FindAmong {
  const { codec, labels } = labelSearch;
  const test = plainTest(labelSearch);
  return function* (keys, among) {
    const parts = yield* mapSliced(labels.parts, (given, part) =>
      partFinders(labelSearch, given, part),
    );
    const found = yield* find(keys, among);
    const judge = (ordinal: number) => {
      if (test(keys, ordinal)) addKey(found, ordinal);
      else removeKey(found, ordinal);
    };
    for (const { passing } of parts) addAll(found, yield* passing(keys, among));
    for (const { uncertain } of parts) yield* eachKey(yield* uncertain(keys, among), judge);
    for (const text of labels.keys.keys()) {
      yield;
      const key = codec.encodeIfKey(text);
      const position = key === null ? null : findKey(keys, key);
      if (position?.isThere && hasKey(among, position.ordinal)) judge(position.ordinal);
    }
    return found;
  };
}

function* eachKey(set: KeySet, visit: (ordinal: number) => void): Sliced<void> {
  for (let i = nextKey(set, 0); i < set.count; i = nextKey(set, i + 1)) {
    visit(i);
    yield;
  }
}

/** Whether a label may stand for a default label, by which the key is then not found. */
export const replacesDefault = (kind: SimpleKeyKind): boolean =>
  kind === 'port' || kind === 'country';

/**
 * Returns finders for the keys that pass because of this part's label, and for the keys that must
 * be tested because of it.
 */
function* partFinders(
  { codec, search }: LabelSearch,
  given: ReadonlyMap<string, string>,
  part: number,
): Sliced<{ passing: FindAmong; uncertain: FindAmong }> {
  const wanted = foldCase(search);
  if (replacesDefault(codec.kinds[part] ?? 'text') || wanted.includes('\\')) {
    return {
      passing: keysWithParts(codec, part, []),
      uncertain: keysWithParts(codec, part, given.keys()),
    };
  }
  // Without a default label, a label replaces only the readable form, which is searched anyway.
  const matching: string[] = [];
  for (const [text, label] of given) {
    if (foldCase(label).includes(wanted)) matching.push(text);
    yield;
  }
  return {
    passing: keysWithParts(codec, part, matching),
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
