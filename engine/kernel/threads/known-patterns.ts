import type { PatternFacts } from '../../../domain/filters/key-pattern.ts';

/** Maximum number of characters of all remembered patterns: two megabytes. */
const MAX_CHARACTERS = 1_000_000;

/** Remembers what is known about the patterns that were used last. */
export class KnownPatterns {
  /** In the order of their last use. */
  readonly #facts = new Map<string, PatternFacts>();
  #characters = 0;

  find(pattern: string): PatternFacts | null {
    const facts = this.#facts.get(pattern);
    if (facts === undefined) return null;
    this.#facts.delete(pattern);
    this.#facts.set(pattern, facts);
    return facts;
  }

  keep(pattern: string, facts: PatternFacts): void {
    if (this.#facts.has(pattern)) return;
    this.#facts.set(pattern, facts);
    this.#characters += pattern.length;
    for (const oldest of this.#facts.keys()) {
      if (this.#characters <= MAX_CHARACTERS) return;
      this.#facts.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}

/**
 * Whether a pattern compiles within a millisecond, whatever it is. Counted repetitions and classes
 * of characters beyond ASCII make a few characters of a pattern mean a lot of work.
 */
export const isQuickPattern = (pattern: string): boolean =>
  pattern.length <= 200 && QUICK.test(pattern);

/** Printable ASCII without braces, and without a class by Unicode property. */
const QUICK = /^(?!.*\\[pP])[ -z|~]*$/;
