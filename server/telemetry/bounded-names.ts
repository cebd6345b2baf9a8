/** What names are called that are too many, or not of a form to be shown. */
export const OTHER = 'other';

/**
 * Names that callers choose, made fit for labels of metrics: each is a series of numbers that is
 * kept for good, so only the first `most` of a plain form get one, and all else is `other`.
 */
export class BoundedNames {
  readonly #most: number;
  readonly #names = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  labelOf(name: string): string {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= this.#most || !PLAIN.test(name)) return OTHER;
    this.#names.add(name);
    return name;
  }
}

const PLAIN = /^[\p{L}\p{N}_][\p{L}\p{N}_ .:-]{0,63}$/u;
