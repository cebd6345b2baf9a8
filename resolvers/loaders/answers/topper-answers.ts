import DataLoader from 'dataloader';
import type { TimeBound } from '../../../db/read-session.ts';
import type { AskedBefore, MadeOf } from '../memory/answer-memory.ts';
import type { KeyAnswer, KeyQuestion, SegmentQuestion } from '../plan/key-questions.ts';
import type { MeterRead } from '../plan/meter-read.ts';
import { planNote, rememberedNote } from '../plan/plan-note.ts';
import { byBound } from '../session/batch.ts';
import { segmentsOfContexts } from '../session/context-segments.ts';
import type { ContextState, NodeReader } from '../session/node-reader.ts';
import { identityOf } from '../session/segment-reader.ts';
import {
  answerPlanned,
  type PlannedAnswers,
  type PlannedRead,
  planQuestions,
} from './answer-segments.ts';

export type {
  KeyAnswer,
  KeyQuestion,
  KeySelection,
  KeysWithin,
  RankedValue,
  TopKeys,
} from '../plan/key-questions.ts';

/** A question to the keys of one read. */
export type TopperQuestion = {
  readonly contextId: number;
  readonly read: MeterRead;
  readonly question: KeyQuestion;
  readonly bound: TimeBound | null;
};

/** A question that is not answered yet, and how it is put to the segments. */
type Open = {
  readonly asked: TopperQuestion;
  readonly state: ContextState;
  readonly put: SegmentQuestion;
};

/**
 * Answers to all questions of one moment: what they read is planned together, so that a block is
 * read once however many toppers need it, and all that is not remembered comes in one statement.
 */
export const topperAnswersLoader = (reader: NodeReader): DataLoader<TopperQuestion, KeyAnswer> =>
  new DataLoader(
    (questions) => byBound(questions, (batch, bound) => answerAll(reader, batch, bound)),
    { cache: false },
  );

async function answerAll(
  reader: NodeReader,
  questions: readonly TopperQuestion[],
  bound: TimeBound | null,
): Promise<KeyAnswer[]> {
  for (;;) {
    const answers = new Map<TopperQuestion, KeyAnswer>();
    const open = await openQuestions(reader, questions, answers);
    await answerOpen(reader, open, { answers, bound });
    const isOneSnapshot = open.every(({ state }) => state.snapshot === reader.session.snapshot);
    // A statement of somebody else failed, and what was planned is of a snapshot that is gone.
    if (!isOneSnapshot) continue;
    return questions.map((question) => {
      const answer = answers.get(question);
      if (!answer) throw new Error('a question was left unanswered');
      return answer;
    });
  }
}

type Answers = Map<TopperQuestion, KeyAnswer>;

/** Puts what was answered at this version into `answers`; gives the rest. */
async function openQuestions(
  reader: NodeReader,
  questions: readonly TopperQuestion[],
  answers: Answers,
): Promise<Open[]> {
  const open: Open[] = [];
  for (const asked of questions) {
    const { contextId, read, question } = asked;
    const state = await reader.context(contextId);
    const answer = reader.memory.answers.find(askedBefore(state, asked));
    if (answer) {
      answers.set(asked, answer);
      reader.onPlan(rememberedNote(state.catalog, read));
    } else {
      open.push({
        asked,
        state,
        put: { group: state.catalog.readGroup(read.groupId), read, question },
      });
    }
  }
  return open;
}

type Answering = { readonly answers: Answers; readonly bound: TimeBound | null };

async function answerOpen(
  reader: NodeReader,
  open: readonly Open[],
  { answers, bound }: Answering,
): Promise<void> {
  if (open.length === 0) return;
  const byQuestion = new Map(open.map((each) => [each.put, each]));
  const ofQuestion = (put: SegmentQuestion) => byQuestion.get(put) as Open;
  const live = await segmentsOfContexts(
    reader,
    open.map(({ asked }) => asked),
  );
  const reads: PlannedRead[] = [];
  for (const read of planQuestions(live, [...byQuestion.keys()])) {
    const unknown = read.questions.filter((put) => {
      const { asked, state } = ofQuestion(put);
      const made = madeOf(reader, read, put);
      const answer = reader.memory.answers.findMadeOf(made);
      if (!answer) return true;
      reader.memory.answers.keep(askedBefore(state, asked), made, answer);
      reader.onPlan(rememberedNote(state.catalog, read.read));
      answers.set(asked, answer);
      return false;
    });
    if (unknown.length > 0) reads.push({ ...read, questions: unknown });
  }
  const found = await answerReads(reader, reads, { ofQuestion, bound });
  for (const read of reads) {
    for (const put of read.questions) {
      const { asked, state } = ofQuestion(put);
      const answer = found.answers.get(put);
      if (!answer) continue;
      answers.set(asked, answer);
      if (answer.kind !== 'top' || state.snapshot !== reader.session.snapshot) continue;
      reader.memory.answers.keep(askedBefore(state, asked), madeOf(reader, read, put), answer);
    }
  }
}

type ReadsOptions = {
  readonly ofQuestion: (put: SegmentQuestion) => Open;
  readonly bound: TimeBound | null;
};

async function answerReads(
  reader: NodeReader,
  reads: readonly PlannedRead[],
  { ofQuestion, bound }: ReadsOptions,
): Promise<PlannedAnswers> {
  const note = (read: PlannedRead, blocksRead: number | null): void => {
    const [put] = read.questions;
    if (put) reader.onPlan(planNote(ofQuestion(put).state.catalog, read, blocksRead));
  };
  try {
    const found = await answerPlanned(reader.segments, reads, bound);
    for (const read of reads) note(read, found.blocksRead.get(read) ?? 0);
    return found;
  } catch (error) {
    // Whoever looks for why it took so long has to know what was to be read.
    for (const read of reads) note(read, null);
    throw error;
  }
}

const askedBefore = (
  { memoryKey: context, versions }: ContextState,
  { read, question }: TopperQuestion,
): AskedBefore => ({ context, version: versions.version, read, question });

const madeOf = (
  { segments: { node } }: NodeReader,
  { read, parts }: PlannedRead,
  { question }: SegmentQuestion,
): MadeOf => ({
  node,
  read,
  question,
  segments: [...new Set(parts.map(({ segment }) => identityOf(segment)))].sort(),
});
