/** The label of names beyond the limit, and of names that are not of a plain form. */
export const OTHER = 'other';

/**
 * Turns names that callers choose into labels of metrics. Each label is a time series that is kept
 * forever, so only the first `most` names of a plain form get their own; all others are `other`.
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
