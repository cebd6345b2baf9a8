import { serviceError } from '../domain/errors.ts';

/**
 * How many values the answer to one request may still have. What is asked for is priced before it
 * runs, but how many points a series has depends on what is there.
 */
export class AnswerBudget {
  readonly #most: number;
  #left: number;

  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** Error: `limit`, for all that are asked for from then on. */
  take(values: number): void {
    this.#left -= values;
    if (this.#left >= 0) return;
    throw serviceError('limit', {
      what: 'The values of keys, series and percentiles in one answer',
      limit: this.#most,
      'what was given': 'more',
    });
  }
}
