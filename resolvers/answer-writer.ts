import { type Body, LongText } from '../domain/text/long-text.ts';
import { pause } from './loaders/session/event-loop-scheduler.ts';
import type { RequestScope } from './request-scope.ts';

/** Renders a long answer part by part, and gives way to other requests in between. */
export class AnswerWriter {
  readonly #scope: Pick<RequestScope, 'signal' | 'onRendered'>;
  readonly #text = new LongText();
  #characters = 0;

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
    this.#scope.signal.throwIfAborted();
    const pausing = pause();
    if (pausing !== undefined) this.#scope.onRendered(this.#characters);
    return pausing;
  }

  end(): Body {
    return this.#text.end();
  }
}
