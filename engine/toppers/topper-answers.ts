import DataLoader from 'dataloader';
import type { Deadline } from '../../db/session/read-session.ts';
import { answerPlanned, type PlannedAnswers } from '../answer/answer-segments.ts';
import type { AnswerKey, MadeOf } from '../cache/answer-cache.ts';
import type {
  AnswerOf,
  KeyAnswer,
  KeyQuestion,
  SegmentGroup,
  SegmentQuestion,
} from '../plan/key-questions.ts';
import type { MeterScan } from '../plan/meter-scan.ts';
import { cachedNote, planNote } from '../plan/plan-note.ts';
import {
  planQuestions,
  planSegments,
  type ScanPlan,
  type SegmentPart,
} from '../plan/plan-segments.ts';
import type { ScopedSegments } from '../plan/scoped-segment.ts';
import { byDeadline } from '../snapshot/batch.ts';
import { segmentsOfContexts } from '../snapshot/context-segments.ts';
import type { ContextState, NodeReader } from '../snapshot/node-reader.ts';
import { identityOf } from '../snapshot/segment-reader.ts';
import { answerTrends } from './answer-trends.ts';
import { rankBySeries } from './rank-by-series.ts';

export type { RankedValue } from '../kernel/rank-keys.ts';
export type {
  AnswerOf,
  KeyQuestion,
  KeySelection,
  KeysWithin,
  RankedKeys,
  TopKeys,
} from '../plan/key-questions.ts';

/** A question about the keys of one read. */
type TopperQuestion<Question extends KeyQuestion = KeyQuestion> = {
  readonly contextId: number;
  readonly read: MeterScan;
  readonly question: Question;
  readonly deadline: Deadline | null;
};

/** A question that is not answered yet, and its group. */
type OpenQuestion = {
  readonly requested: TopperQuestion;
  readonly state: ContextState;
  readonly group: SegmentGroup;
};

export type AskKeys = <Question extends KeyQuestion>(
  requested: TopperQuestion<Question>,
) => Promise<AnswerOf<Question>>;

/**
 * Answers all questions of one batch. Their reads are planned together, so that a block is read
 * once however many toppers need it, and everything that is not cached is read by one statement.
 */
export function keyAsker(reader: NodeReader): AskKeys {
  const loader = new DataLoader<TopperQuestion, KeyAnswer>(
    (questions) => byDeadline(questions, (batch, deadline) => answerAll(reader, batch, deadline)),
    { cache: false, batchScheduleFn: reader.batchScheduleFn },
  );
  // Each question is answered by its own kind.
  return <Question extends KeyQuestion>(requested: TopperQuestion<Question>) =>
    loader.load(requested) as Promise<AnswerOf<Question>>;
}

async function answerAll(
  reader: NodeReader,
  questions: readonly TopperQuestion[],
  deadline: Deadline | null,
): Promise<KeyAnswer[]> {
  for (;;) {
    const answers = new Map<TopperQuestion, KeyAnswer>();
    const open = await openQuestions(reader, questions, answers);
    await answerOpen(reader, open, { answers, deadline });
    const isOneSnapshot = open.every(({ state }) => state.snapshot === reader.session.snapshot);
    // Another caller's statement failed, and the plan is of a snapshot that no longer exists.
    if (!isOneSnapshot) continue;
    return questions.map((question) => {
      const answer = answers.get(question);
      if (!answer) throw new Error('a question was left unanswered');
      return answer;
    });
  }
}

type Answers = Map<TopperQuestion, KeyAnswer>;

/** Copies cached answers of this version into `answers`; returns the remaining questions. */
async function openQuestions(
  reader: NodeReader,
  questions: readonly TopperQuestion[],
  answers: Answers,
): Promise<OpenQuestion[]> {
  const open: OpenQuestion[] = [];
  for (const requested of questions) {
    const { contextId, read } = requested;
    const state = await reader.context(contextId);
    const answer = reader.memory.answers.find(answerKey(state, requested));
    if (answer) {
      answers.set(requested, answer);
      reader.onPlan(() => cachedNote(state.catalog, read));
    } else {
      open.push({ requested, state, group: state.catalog.readGroup(read.groupId) });
    }
  }
  return open;
}

type Answering = {
  readonly answers: Answers;
  readonly deadline: Deadline | null;
  readonly live: ScopedSegments;
};

async function answerOpen(
  reader: NodeReader,
  open: readonly OpenQuestion[],
  { answers, deadline }: Omit<Answering, 'live'>,
): Promise<void> {
  if (open.length === 0) return;
  const live = await segmentsOfContexts(
    reader,
    open.map(({ requested }) => requested),
  );
  const answering = { answers, deadline, live };
  await answerByBlocks(reader, open, answering);
  for (const each of open) await answerBySeries(reader, each, answering);
  await answerAllTrends(reader, open, answering);
}

async function answerByBlocks(
  reader: NodeReader,
  open: readonly OpenQuestion[],
  { answers, deadline, live }: Answering,
): Promise<void> {
  const byQuestion = new Map(open.flatMap((each) => ofBlocks(each)));
  const ofQuestion = (question: SegmentQuestion) => byQuestion.get(question) as OpenQuestion;
  const reads: ScanPlan[] = [];
  for (const read of planQuestions(live, [...byQuestion.keys()])) {
    const unknown = read.questions.filter(
      (question) => !answerFromCache(reader, ofQuestion(question), read, answers),
    );
    if (unknown.length > 0) reads.push({ ...read, questions: unknown });
  }
  const found = await answerReads(reader, reads, { ofQuestion, deadline });
  for (const read of reads) {
    for (const question of read.questions) {
      const answer = found.answers.get(question);
      if (!answer) continue;
      answers.set(ofQuestion(question).requested, answer);
      keepAnswer(reader, ofQuestion(question), read, answer);
    }
  }
}

/** Converts a question for blocks; empty: blocks do not answer it. */
function ofBlocks(open: OpenQuestion): [SegmentQuestion, OpenQuestion][] {
  const { group, requested } = open;
  const { read, question } = requested;
  if (question.kind === 'series' || question.kind === 'trend') return [];
  return [[{ group, read, question }, open]];
}

async function answerBySeries(
  reader: NodeReader,
  open: OpenQuestion,
  { answers, deadline, live }: Answering,
): Promise<void> {
  const { requested, group, state } = open;
  const { read, question } = requested;
  if (question.kind !== 'series') return;
  const planned = { read, parts: planSegments(live, read), since: [] };
  if (answerFromCache(reader, open, planned, answers)) return;
  const answer = await rankBySeries(reader.segments, live, { group, read, question }, { deadline });
  reader.onPlan(() => planNote(state.catalog, planned, null));
  answers.set(requested, answer);
  keepAnswer(reader, open, planned, answer);
}

/** Answers all questions that are not cached, together. */
async function answerAllTrends(
  reader: NodeReader,
  open: readonly OpenQuestion[],
  { answers, deadline, live }: Answering,
): Promise<void> {
  const requested = open.flatMap((each) => {
    const { read, question } = each.requested;
    if (question.kind !== 'trend') return [];
    const planned = { read, parts: planSegments(live, read), since: [] };
    if (answerFromCache(reader, each, planned, answers)) return [];
    return [{ open: each, planned, group: each.group, read, question }];
  });
  if (requested.length === 0) return;
  const found = await answerTrends(reader.segments, live.segments, requested, { deadline });
  for (const [i, { open: each, planned }] of requested.entries()) {
    const answer = found[i];
    if (!answer) throw new Error('a trend was left unanswered');
    reader.onPlan(() => planNote(each.state.catalog, planned, null));
    answers.set(each.requested, answer);
    keepAnswer(reader, each, planned, answer);
  }
}

/** Whether the segments that answer a question have answered it before. */
function answerFromCache(
  reader: NodeReader,
  { requested, state }: OpenQuestion,
  planned: PlannedParts,
  answers: Answers,
): boolean {
  const made = madeOf(reader, planned, requested);
  const answer = reader.memory.answers.findMadeOf(made);
  if (!answer) return false;
  reader.memory.answers.keep(answerKey(state, requested), made, answer);
  reader.onPlan(() => cachedNote(state.catalog, planned.read));
  answers.set(requested, answer);
  return true;
}

function keepAnswer(
  reader: NodeReader,
  { requested, state }: OpenQuestion,
  planned: PlannedParts,
  answer: KeyAnswer,
): void {
  if (answer.kind !== 'top' && answer.kind !== 'ranked' && answer.kind !== 'trend') return;
  if (state.snapshot !== reader.session.snapshot) return;
  reader.memory.answers.keep(
    answerKey(state, requested),
    madeOf(reader, planned, requested),
    answer,
  );
}

type PlannedParts = Pick<ScanPlan, 'read' | 'parts' | 'since'>;

type ReadsOptions = {
  readonly ofQuestion: (question: SegmentQuestion) => OpenQuestion;
  readonly deadline: Deadline | null;
};

async function answerReads(
  reader: NodeReader,
  reads: readonly ScanPlan[],
  { ofQuestion, deadline }: ReadsOptions,
): Promise<PlannedAnswers> {
  const note = (read: ScanPlan, found: PlannedAnswers | null): void => {
    const [question] = read.questions;
    if (!question) return;
    const { catalog } = ofQuestion(question).state;
    const parts = [...read.parts, ...read.since];
    const certified = found?.certified.has(read) ?? false;
    const blocksRead = found ? (found.blocksRead.get(read) ?? 0) : null;
    reader.onPlan(() => planNote(catalog, { read: read.read, parts, certified }, blocksRead));
  };
  try {
    const found = await answerPlanned(reader.segments, reads, deadline);
    for (const read of reads) note(read, found);
    return found;
  } catch (error) {
    // Tells anyone who investigates a slow request what it had to read.
    for (const read of reads) note(read, null);
    throw error;
  }
}

const answerKey = (
  { memoryKey: context, versions }: ContextState,
  { read, question }: TopperQuestion,
): AnswerKey => ({ context, version: versions.version, read, question });

const madeOf = (
  { segments: { node } }: NodeReader,
  { read, parts, since }: PlannedParts,
  { question }: TopperQuestion,
): MadeOf => ({
  node,
  read,
  question,
  segments: [
    ...identitiesOf(parts),
    ...(since.length > 0 ? ['since', ...identitiesOf(since)] : []),
  ],
});

const identitiesOf = (parts: readonly SegmentPart[]): string[] =>
  [...new Set(parts.map(({ segment }) => identityOf(segment)))].sort();
