import { serviceError } from '../domain/errors.ts';

/**
 * Number of values that the answer to one request may still contain. A request is priced before it
 * runs, but the number of points in a series depends on the data.
 */
export class AnswerBudget {
  readonly #max: number;
  #left: number;

  constructor(max: number) {
    this.#max = max;
    this.#left = max;
  }

  /** Takes values from the budget. Error: `limit`, from then on for every call. */
  take(values: number): void {
    this.#left -= values;
    if (this.#left >= 0) return;
    throw serviceError('limit', {
      what: 'The values of all lists in one answer',
      limit: this.#max,
      'what was given': 'more',
    });
  }
}
