import type { Answer } from '../questions/answer.ts';
import type { Question } from '../questions/question.ts';

export const SYSTEM_NAMES = ['ours', 'duckdb', 'duckdb-tuned', 'duckdb-text', 'sql'] as const;

export type SystemName = (typeof SYSTEM_NAMES)[number];

/** Asks one question each time it is called. */
export type Asker = () => Promise<Answer>;

export type System = {
  readonly name: SystemName;
  /** Prepares everything that can be done once per question. */
  prepare(question: Question): Promise<Asker>;
};
