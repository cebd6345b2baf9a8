import { type PatternBranches, type PatternItem, parsePattern } from './pattern-syntax.ts';

/** isWhole: every text that begins with one of `texts` matches; otherwise, it may match. */
export type PatternPrefixes = { readonly texts: readonly string[]; readonly isWhole: boolean };

/** More or longer prefixes are not worth listing. */
const MAX_PREFIXES = 1024;
const MAX_LENGTH = 64;

/**
 * Returns prefixes, one of which every text that matches `pattern` begins with; null if none are
 * known. Prefixes are ASCII, so a prefix of a text is also a prefix of its UTF-8 bytes.
 */
export function patternPrefixes(pattern: string): PatternPrefixes | null {
  const branches = parsePattern(pattern);
  if (branches === null) return null;
  const reached = followBranches(branches.map(withoutTail), [START]);
  if (reached === null) return null;
  const texts = [...new Set(reached.map(({ text }) => text))];
  if (texts.includes('') || texts.length > MAX_PREFIXES) return null;
  return { texts, isWhole: reached.every(({ isOpen }) => isOpen) };
}

/**
 * What is known about a path through the pattern: whether it is anchored at the start of the text
 * (`hasBegun`), and the `text` that it begins with. While `isOpen`, it has matched nothing else.
 */
type Reached = { readonly text: string; readonly hasBegun: boolean; readonly isOpen: boolean };

const START: Reached = { text: '', hasBegun: false, isOpen: true };

/** Drops optional items at the end: a pattern need not reach the end of the text. */
function withoutTail(items: readonly PatternItem[]): readonly PatternItem[] {
  const end = items.findLastIndex((item) => item.kind !== 'other' || !item.isOptional);
  return items.slice(0, end + 1);
}

/** Continues the paths in `before` through each alternative; null if a match may be anywhere. */
function followBranches(
  branches: PatternBranches,
  before: readonly Reached[],
): readonly Reached[] | null {
  const all: Reached[] = [];
  for (const items of branches) {
    let ways: readonly Reached[] | null = before;
    for (const item of items) {
      ways = follow(item, ways);
      if (ways === null) return null;
      // What follows no longer matters.
      if (!ways.some(({ isOpen }) => isOpen)) break;
    }
    all.push(...ways);
    if (all.length > MAX_PREFIXES) return stopAt(before);
  }
  return all;
}

function follow(item: PatternItem, before: readonly Reached[]): readonly Reached[] | null {
  const open = before.filter(({ isOpen }) => isOpen);
  const done = before.filter(({ isOpen }) => !isOpen);
  const further = followOpen(item, open);
  return further && [...done, ...further];
}

function followOpen(item: PatternItem, open: readonly Reached[]): readonly Reached[] | null {
  if (item.kind === 'group') return followBranches(item.branches, open);
  if (item.kind === 'begin') {
    // The start of the text after a character: this never matches, and nobody asks for it.
    if (open.some(({ text }) => text !== '')) return null;
    return open.map((way) => ({ ...way, hasBegun: true }));
  }
  const isFar = open.some(({ text }) => text.length >= MAX_LENGTH);
  if (item.kind === 'other' || isFar || open.length * item.chars.length > MAX_PREFIXES) {
    return stopAt(open);
  }
  // The pattern is not anchored, so anything may come before it.
  if (open.some(({ hasBegun }) => !hasBegun)) return null;
  return open.flatMap((way) => item.chars.map((char) => ({ ...way, text: way.text + char })));
}

/** Closes all paths: what follows says no more about how a text begins. */
const stopAt = (ways: readonly Reached[]): readonly Reached[] | null =>
  ways.every(({ hasBegun }) => hasBegun) ? ways.map((way) => ({ ...way, isOpen: false })) : null;
