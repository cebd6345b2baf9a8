import { type CompiledPattern, compileInSlices } from '../../domain/filters/key-pattern.ts';
import { patternPrefixes } from '../../domain/filters/pattern-prefixes.ts';
import { patternProgram } from '../../domain/filters/pattern-program.ts';
import { prefixRange } from '../../domain/keys/key-range.ts';
import type { Sliced } from '../../domain/sliced.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { keyAt } from '../keys/key-list.ts';
import { textRange } from '../keys/key-ranges.ts';
import { KeyAutomaton } from './automata/key-automaton.ts';
import { patternAutomaton } from './automata/pattern-automaton.ts';
import { unlessTooLarge } from './automata/text-automaton.ts';
import type { FindAmong } from './find-among.ts';
import { findKeys, type KeySearch } from './find-keys.ts';
import { addKey, addWithin, emptyKeySet, nextKey } from './key-set.ts';
import { ONE_VARIANT } from './spelling/key-variants.ts';
import { rawSpelling } from './spelling/raw-spelling.ts';

/**
 * Finds the keys whose raw text matches a pattern (decision 26). What it learns about keys of a
 * kind is reused for the next list. Errors: those of compileKeyPattern, for `name`.
 */
export function* patternFinder(codec: KeyCodec, pattern: string, name: string): Sliced<FindAmong> {
  const compiled = yield* compileInSlices(pattern, name);
  yield;
  const plain = plainFinder(codec, pattern, compiled);
  yield;
  let search = yield* unlessTooLarge(() => patternSearch(codec, compiled));
  return function* (keys, among) {
    const usable = search;
    const found = usable && (yield* unlessTooLarge(() => findKeys(usable, keys, among)));
    if (found === null) search = null;
    return found ?? (yield* plain(keys, among));
  };
}

/** Builds a search with an automaton; null for a pattern that only re2js can match. */
function* patternSearch(codec: KeyCodec, pattern: CompiledPattern): Sliced<KeySearch | null> {
  const program = yield* patternProgram(pattern);
  if (program === null) return null;
  const start = rawSpelling(codec.kinds);
  return {
    automaton: new KeyAutomaton(yield* patternAutomaton(program)),
    variants: ONE_VARIANT,
    startOf: () => start,
    decide: undecided,
  };
}

function undecided(): never {
  throw new Error('the raw text of a key was not known');
}

/** Tests the raw texts of all keys that begin as the pattern requires. */
export function plainFinder(
  codec: KeyCodec,
  pattern: string,
  compiled: CompiledPattern,
): FindAmong {
  const prefixes = patternPrefixes(pattern);
  return function* (keys, among) {
    const found = emptyKeySet(keys.count);
    const ranges = prefixes?.texts.map((text) => textRange(keys, codec, prefixRange(text)));
    for (const range of ranges ?? [{ from: 0, to: keys.count }]) {
      if (prefixes?.isWhole) addWithin(found, among, range);
      else {
        for (let i = nextKey(among, range.from); i < range.to; i = nextKey(among, i + 1)) {
          if (compiled.test(codec.decode(keyAt(keys, i)))) addKey(found, i);
          yield;
        }
      }
    }
    return found;
  };
}
