/**
 * The part of a pattern that is understood here: enough for the prefixes that people ask for.
 *
 * chars: one of these characters. other: anything else that matches.
 */
export type PatternItem =
  | { readonly kind: 'begin' }
  | { readonly kind: 'chars'; readonly chars: readonly string[] }
  | { readonly kind: 'group'; readonly branches: PatternBranches }
  /** isOptional: it also matches the empty text. */
  | { readonly kind: 'other'; readonly isOptional: boolean };

/** Alternatives, each a sequence of items. */
export type PatternBranches = readonly (readonly PatternItem[])[];

/**
 * Parses an RE2 pattern; null if something in it is not understood, because then nothing can be
 * said about the rest either. Accepts only syntax that certainly means the same in RE2.
 */
export function parsePattern(pattern: string): PatternBranches | null {
  const reader = new PatternReader(pattern);
  try {
    const branches = reader.branches();
    return reader.isAtEnd ? branches : null;
  } catch (error) {
    if (error instanceof NotUnderstood) return null;
    throw error;
  }
}

class NotUnderstood extends Error {}

const OTHER: PatternItem = { kind: 'other', isOptional: false };
const OPTIONAL: PatternItem = { kind: 'other', isOptional: true };

/** ASCII without control characters and metacharacters. */
const LITERAL = /^[ !"#%&',\-/0-9:;<=>@A-Z\]_`a-z}~]$/;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const CLASS_ESCAPE = /\\[dDsSwWbBz]/y;
const GROUP_START = /\((?:\?:)?(?!\?)/y;
/** No nested brackets, no escapes, and hyphens only between letters or between digits. */
const CLASS =
  /\[(\^?)((?:[0-9]-[0-9]|[A-Z]-[A-Z]|[a-z]-[a-z]|[ !"#%'()*+,./0-9:;<=>?@A-Z_a-z])+)\]/y;
const NAMED_CLASS = /\[\^?\[:\^?\w+:\]\]/y;
/** RE2 reads braces with a leading zero as text. */
const REPEAT = /([*+?]|\{(0|[1-9]\d{0,3})(,(0|[1-9]\d{0,3})?)?\})\??/y;

/** Maximum number of copies that a repetition is expanded to. */
const MAX_COPIES = 32;

class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#pattern.length;
  }

  branches(): PatternBranches {
    const branches: PatternItem[][] = [this.#sequence()];
    while (this.#take(/\|/y)) branches.push(this.#sequence());
    return branches;
  }

  #sequence(): PatternItem[] {
    const items: PatternItem[] = [];
    for (
      let next = this.#next();
      next !== '' && next !== '|' && next !== ')';
      next = this.#next()
    ) {
      items.push(...this.#repeated(this.#item(next)));
    }
    return items;
  }

  #next(): string {
    return this.#pattern.charAt(this.#at);
  }

  #item(next: string): PatternItem {
    if (next === '(') return this.#group();
    if (next === '[') return this.#class();
    if (next === '\\') return this.#escape();
    this.#at += 1;
    if (next === '^') return { kind: 'begin' };
    if (next === '.' || next === '$') return OTHER;
    if (LITERAL.test(next)) return { kind: 'chars', chars: [next] };
    // This may be half of a surrogate pair. The other half then becomes an OTHER of its own.
    if (next > '\u007f') return OTHER;
    throw new NotUnderstood();
  }

  #group(): PatternItem {
    if (!this.#take(GROUP_START)) throw new NotUnderstood();
    const branches = this.branches();
    if (!this.#take(/\)/y)) throw new NotUnderstood();
    return { kind: 'group', branches };
  }

  #class(): PatternItem {
    if (this.#take(NAMED_CLASS)) return OTHER;
    const found = this.#take(CLASS);
    if (!found) throw new NotUnderstood();
    const [, negation, members = ''] = found;
    return negation ? OTHER : { kind: 'chars', chars: charsOf(members) };
  }

  #escape(): PatternItem {
    const literal = this.#take(ESCAPED)?.[1];
    if (literal !== undefined) return { kind: 'chars', chars: [literal] };
    if (this.#take(/\\A/y)) return { kind: 'begin' };
    if (this.#take(CLASS_ESCAPE)) return OTHER;
    throw new NotUnderstood();
  }

  /** Returns the item as often as the repetition after it says. */
  #repeated(item: PatternItem): PatternItem[] {
    const found = this.#take(REPEAT);
    if (!found) return [item];
    const [, sign, least, hasMost, most] = found;
    // Only RE2 can judge repeated repetitions, `a**` or `a{2}{3}`, and repeated anchors.
    if (REPEAT_SIGNS.has(this.#next()) || item.kind === 'begin') throw new NotUnderstood();
    if (sign === '*' || sign === '?') return [OPTIONAL];
    if (sign === '+') return [item, OPTIONAL];
    const count = Number(least);
    const copies = Array.from({ length: Math.min(count, MAX_COPIES) }, () => item);
    if (count > MAX_COPIES) return [...copies, OTHER];
    return hasMost && most !== least ? [...copies, OPTIONAL] : copies;
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern);
    if (found) this.#at = expression.lastIndex;
    return found;
  }
}

const REPEAT_SIGNS: ReadonlySet<string> = new Set(['*', '+', '?', '{']);

/** Expands the single characters and the ranges of a class. */
function charsOf(members: string): string[] {
  const chars = new Set<string>();
  for (const [, from = '', to = from] of members.matchAll(/(.)(?:-(.))?/gs)) {
    if (from > to) throw new NotUnderstood();
    for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code += 1) {
      chars.add(String.fromCharCode(code));
    }
  }
  return [...chars];
}
