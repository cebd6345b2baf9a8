import { LRUCache } from 'lru-cache';
import type { Question, TopAnswer } from '../../topk/answer-questions.ts';
import type { KeyBits } from '../../topk/key-bits.ts';
import type { MeterRead } from './read-plan.ts';
import { Tally } from './tally.ts';

/** What an answer depends on. */
export type AskedBefore = {
  /** Node and context. */
  readonly context: string;
  /** Of the context: any change of its data, groups or slices gives it another one. */
  readonly version: number;
  readonly read: MeterRead;
  readonly question: Question;
};

/** About what an answer takes, and each of its keys. */
const ANSWER_BYTES = 800;
const KEY_BYTES = 200;

/**
 * Answers to what was asked before, in a bounded number of bytes. They name keys by their places
 * and are found by all that they depend on, the version of the data included: what an import has
 * touched is not found any more. Never by who asks: who may ask is known before anything is
 * looked up here.
 */
export class AnswerMemory {
  readonly tally = new Tally();
  readonly #answers: LRUCache<string, TopAnswer> | null;
  /** A set of keys never changes: which one it is says what is in it. */
  readonly #sets = new WeakMap<KeyBits, number>();
  #lastSet = 0;

  /** maxBytes 0: nothing is remembered. */
  constructor(maxBytes: number) {
    const sizeCalculation = ({ candidates }: TopAnswer) =>
      ANSWER_BYTES + KEY_BYTES * candidates.length;
    this.#answers = maxBytes > 0 ? new LRUCache({ maxSize: maxBytes, sizeCalculation }) : null;
  }

  get bytes(): number {
    return this.#answers?.calculatedSize ?? 0;
  }

  find(asked: AskedBefore): TopAnswer | null {
    const name = this.#nameOf(asked);
    if (name === null) return null;
    const answer = this.#answers?.get(name) ?? null;
    this.tally.count(answer ? 1 : 0, answer ? 0 : 1);
    return answer;
  }

  keep(asked: AskedBefore, answer: TopAnswer): void {
    const name = this.#nameOf(asked);
    if (name !== null) this.#answers?.set(name, answer);
  }

  clear(): void {
    this.#answers?.clear();
  }

  /** null: not worth it, drill-downs are of a few keys, and differ from row to row. */
  #nameOf({ context, version, read, question }: AskedBefore): string | null {
    if (!this.#answers || question.kind !== 'top' || question.within !== null) return null;
    const { groupId, slot, fold, probeId, interval } = read;
    const asked = [question.maxItems, this.#setNumber(question.passing)];
    return [
      ...[version, groupId, slot, fold, probeId, interval.from, interval.to, ...asked],
      context,
    ].join(' ');
  }

  #setNumber(keys: KeyBits | null): number {
    if (keys === null) return 0;
    const known = this.#sets.get(keys);
    if (known !== undefined) return known;
    this.#lastSet += 1;
    this.#sets.set(keys, this.#lastSet);
    return this.#lastSet;
  }
}
