import { type PatternBranches, type PatternItem, parsePattern } from './pattern-syntax.ts';

/** isWhole: every text that begins with one of them matches; if not, it may. */
export type PatternPrefixes = { readonly texts: readonly string[]; readonly isWhole: boolean };

/** More of them, or longer ones, are not worth writing out. */
const MAX_PREFIXES = 1024;
const MAX_LENGTH = 64;

/**
 * What every text in which `pattern` is found begins with; null: nothing is known to be. Prefixes
 * are of ASCII, so that those of texts are those of their UTF-8 bytes.
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
 * How far a way through the pattern is known: it has begun at the start of the text, has met `text`
 * and, while it is open, nothing else.
 */
type Reached = { readonly text: string; readonly hasBegun: boolean; readonly isOpen: boolean };

const START: Reached = { text: '', hasBegun: false, isOpen: true };

/** What may be missing at the end says nothing: a pattern need not reach the end of the text. */
function withoutTail(items: readonly PatternItem[]): readonly PatternItem[] {
  const end = items.findLastIndex((item) => item.kind !== 'other' || !item.isOptional);
  return items.slice(0, end + 1);
}

/** All ways through the alternatives from where the ways before have come; null: anywhere. */
function followBranches(
  branches: PatternBranches,
  before: readonly Reached[],
): readonly Reached[] | null {
  const all: Reached[] = [];
  for (const items of branches) {
    let ways: readonly Reached[] | null = before;
    for (const item of items) ways = ways && follow(item, ways);
    if (ways === null) return null;
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
    // The start of the text behind one of its characters: nothing matches, and nobody asks for it.
    if (open.some(({ text }) => text !== '')) return null;
    return open.map((way) => ({ ...way, hasBegun: true }));
  }
  const isFar = open.some(({ text }) => text.length >= MAX_LENGTH);
  if (item.kind === 'other' || isFar || open.length * item.chars.length > MAX_PREFIXES) {
    return stopAt(open);
  }
  // Found anywhere, it may stand behind anything.
  if (open.some(({ hasBegun }) => !hasBegun)) return null;
  return open.flatMap((way) => item.chars.map((char) => ({ ...way, text: way.text + char })));
}

/** What comes next is not written out: it says no more about how a text begins. */
const stopAt = (ways: readonly Reached[]): readonly Reached[] | null =>
  ways.every(({ hasBegun }) => hasBegun) ? ways.map((way) => ({ ...way, isOpen: false })) : null;
