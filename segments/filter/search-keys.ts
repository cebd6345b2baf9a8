import { foldCase } from '../../domain/filters/search-text.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { type KeyList, keyAt } from '../keys/key-list.ts';
import { KeyAutomaton } from './automata/key-automaton.ts';
import { needleAutomaton } from './automata/needle-automaton.ts';
import { unlessTooLarge } from './automata/text-automaton.ts';
import type { FindAmong } from './find-among.ts';
import { findKeys, type KeySearch } from './find-keys.ts';
import { addAll, addKey, copyKeySet, emptyKeySet, nextKey, removeAll } from './key-set.ts';
import { labelText, NO_LABELS, rawParts, readableText } from './plain-texts.ts';
import { keyVariantsOf } from './spelling/key-variants.ts';
import {
  haveDefaultLabels,
  type SearchedText,
  searchSpelling,
} from './spelling/search-spelling.ts';
import type { SpellingState } from './spelling/spelling-state.ts';

/**
 * Finds the keys with a text in their label or readable form, as if no user had labelled any key.
 * What it learns about keys of a kind is reused for the next list.
 */
export function searchFinder(codec: KeyCodec, search: string): FindAmong {
  const wanted = foldCase(search);
  const finders = textsFor(codec, wanted).map((text) => textFinder(codec, wanted, text));
  return function* (keys, among) {
    const found = emptyKeySet(keys.count);
    const left = copyKeySet(among);
    for (const find of finders) {
      const further = yield* find(keys, left);
      addAll(found, further);
      removeAll(left, further);
    }
    return found;
  };
}

function textsFor({ kinds }: KeyCodec, wanted: string): SearchedText[] {
  if (!haveDefaultLabels(kinds)) return ['readable'];
  return wanted.includes('\\') ? ['label', 'readable'] : ['both'];
}

function textFinder(codec: KeyCodec, wanted: string, text: SearchedText): FindAmong {
  const { kinds } = codec;
  const decide = (keys: KeyList, ordinal: number): boolean => {
    const parts = rawParts(codec, keyAt(keys, ordinal));
    return (
      foldCase(readableText(kinds, parts)).includes(wanted) ||
      foldCase(labelText(kinds, parts, NO_LABELS)).includes(wanted)
    );
  };
  const plain: FindAmong = function* (keys, among) {
    const found = emptyKeySet(keys.count);
    for (let i = nextKey(among, 0); i < keys.count; i = nextKey(among, i + 1)) {
      if (decide(keys, i)) addKey(found, i);
      yield;
    }
    return found;
  };
  const states = new Map<number, SpellingState>();
  const keySearch: KeySearch = {
    automaton: new KeyAutomaton(needleAutomaton(wanted)),
    variants: keyVariantsOf(codec),
    startOf(variant) {
      const state = states.get(variant) ?? searchSpelling(kinds, variant, text);
      states.set(variant, state);
      return state;
    },
    decide,
  };
  return function* (keys, among) {
    const found = yield* unlessTooLarge(() => findKeys(keySearch, keys, among));
    return found ?? (yield* plain(keys, among));
  };
}
