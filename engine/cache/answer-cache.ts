import { LRUCache } from 'lru-cache';
import type { KeyQuestion, RankedKeys, TopKeys, TrendAnswer } from '../plan/key-questions.ts';
import { type MeterScan, nameOfRead } from '../plan/meter-scan.ts';
import { CacheStats } from './cache-stats.ts';

/** What an answer depends on. */
export type AnswerKey = {
  /** Node and context. */
  readonly context: string;
  /** Version of the context; any change of its data, groups or slices changes it. */
  readonly version: number;
  readonly read: MeterScan;
  readonly question: KeyQuestion;
};

/** The same, once the segments of the answer are known. */
export type MadeOf = Pick<AnswerKey, 'read' | 'question'> & {
  readonly node: string;
  /** A unique identity of each segment. */
  readonly segments: readonly string[];
};

/** The answers that are cached. */
type CachedKeys = TopKeys | RankedKeys | TrendAnswer;

/** Approximate size of an answer, and of each of its keys. */
const ANSWER_BYTES = 800;
const KEY_BYTES = 200;

/**
 * A cache of answers, of bounded size in bytes. They are looked up by everything they depend on,
 * never by caller: access is checked before anything is looked up here. Each answer can be found in
 * two ways: by the version of the data, which a merge does not change; and by the segments it was
 * made of, which an import into other times does not change.
 */
export class AnswerCache {
  readonly tally = new CacheStats();
  readonly #answers: LRUCache<string, CachedKeys> | null;

  /** maxBytes 0: nothing is cached. */
  constructor(maxBytes: number) {
    this.#answers =
      maxBytes > 0 ? new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf }) : null;
  }

  get bytes(): number {
    return this.#answers?.calculatedSize ?? 0;
  }

  find(key: AnswerKey): CachedKeys | null {
    const name = nameOf(key);
    if (name === null || this.#answers === null) return null;
    const answer = this.#answers.get(name) ?? null;
    this.tally.count(answer ? 1 : 0, answer ? 0 : 1);
    return answer;
  }

  findMadeOf(made: MadeOf): CachedKeys | null {
    const name = nameOfMade(made);
    return (name !== null && this.#answers?.get(name)) || null;
  }

  keep(key: AnswerKey, made: MadeOf, answer: CachedKeys): void {
    for (const question of questionsOf(key.question, answer)) {
      for (const name of [nameOf({ ...key, question }), nameOfMade({ ...made, question })]) {
        if (name !== null) this.#answers?.set(name, answer);
      }
    }
  }

  clear(): void {
    this.#answers?.clear();
  }
}

/** Returns the questions that an answer answers: one with the number of keys, also one without. */
function questionsOf(question: KeyQuestion, answer: CachedKeys): KeyQuestion[] {
  if (question.kind !== 'top' || answer.kind !== 'top') return [question];
  const withoutCount = { ...question, withoutCount: true };
  return answer.keyCount === null
    ? [withoutCount]
    : [{ ...question, withoutCount: false }, withoutCount];
}

function bytesOf(answer: CachedKeys): number {
  if (answer.kind !== 'trend') return ANSWER_BYTES + KEY_BYTES * answer.listed.length;
  return answer.steps.reduce((sum, step) => sum + bytesOf(step), ANSWER_BYTES);
}

const nameOf = ({ context, version, ...rest }: AnswerKey): string | null =>
  named(rest, `at ${version} ${context}`);

const nameOfMade = ({ node, segments, ...rest }: MadeOf): string | null =>
  named(rest, `of ${segments.join(' ')} ${node}`);

/** null: not worth caching. Drill-downs have a few keys, and differ from row to row. */
function named({ read, question }: Pick<AnswerKey, 'read' | 'question'>, of: string) {
  const ranking = rankingName(question);
  if (ranking === null || !('maxItems' in question) || question.within !== null) return null;
  const { maxItems, passing } = question;
  return `${nameOfRead(read)} ${read.aggregate} ${maxItems} ${ranking} ${of} ${passing?.name ?? ''}`;
}

/** Returns a name of what keys are ranked by; null if the question does not rank keys. */
function rankingName(question: KeyQuestion): string | null {
  switch (question.kind) {
    case 'top':
      return question.withoutCount ? 'top without count' : 'top';
    case 'changes':
      return `${question.change} ${question.since.from} ${question.since.to}`;
    case 'trend':
      return `trend ${question.stepSeconds}`;
    case 'series':
      return `series ${question.percentile} ${question.bucketCount}`;
    default:
      return null;
  }
}
