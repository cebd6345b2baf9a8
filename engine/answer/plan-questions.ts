import { groupBy } from '../../domain/toppers/group-by.ts';
import type { LiveSegments } from '../../store/read/manifest.ts';
import type { BlockQuestion, SegmentGroup, SegmentQuestion } from '../plan/key-questions.ts';
import { type MeterRead, nameOfRead } from '../plan/meter-read.ts';
import { planSegments, type SegmentPart } from '../plan/plan-segments.ts';

/** A read, the segments that it needs, and all its questions. */
export type PlannedRead = {
  readonly group: SegmentGroup;
  readonly read: MeterRead;
  readonly parts: readonly SegmentPart[];
  /** The segments of the window that it is compared with, if any. */
  readonly since: readonly SegmentPart[];
  readonly questions: readonly SegmentQuestion[];
};

/** The segments and blocks that answer the questions, by read. */
export const planQuestions = (
  live: LiveSegments,
  questions: readonly SegmentQuestion[],
): PlannedRead[] => [...groupBy(questions, readName).values()].map((ofRead) => plan(live, ofRead));

const readName = ({ read, question }: SegmentQuestion): string => {
  const name = nameOfRead(read);
  const since = sinceOf(question);
  return since ? `${name} since ${since.from} ${since.to}` : name;
};

const sinceOf = (question: BlockQuestion) => (question.kind === 'changes' ? question.since : null);

function plan(live: LiveSegments, questions: readonly SegmentQuestion[]): PlannedRead {
  const [first] = questions;
  if (!first) throw new Error('a read without questions');
  const { group, read } = first;
  const interval = sinceOf(first.question);
  const since = interval ? planSegments(live, { ...read, interval }) : [];
  return { group, read, parts: planSegments(live, read), since, questions };
}
