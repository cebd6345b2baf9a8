import { type Body, LongText } from '../domain/text/long-text.ts';
import { pause } from '../engine/snapshot/event-loop-scheduler.ts';
import type { RequestScope } from './request-scope.ts';

/** Characters that are rendered in a millisecond or so. */
const CHARACTERS_AT_ONCE = 30_000;

/** Renders a long answer part by part, and gives way to other requests in between. */
export class AnswerWriter {
  readonly #scope: Pick<RequestScope, 'signal' | 'onRendered'>;
  readonly #text = new LongText();
  #characters = 0;
  #pausesAt = CHARACTERS_AT_ONCE;

  constructor(scope: Pick<RequestScope, 'signal' | 'onRendered'>) {
    this.#scope = scope;
  }

  /**
   * Await it before the next part. Errors: the request's time limit has passed, its caller has
   * gone, or the answer is postponed.
   */
  write(text: string): Promise<void> | undefined {
    this.#text.add(text);
    this.#characters += text.length;
    if (this.#characters < this.#pausesAt) return undefined;
    this.#pausesAt = this.#characters + CHARACTERS_AT_ONCE;
    this.#scope.signal.throwIfAborted();
    const pausing = pause();
    if (pausing !== undefined) this.#scope.onRendered(this.#characters);
    return pausing;
  }

  end(): Body {
    return this.#text.end();
  }
}
