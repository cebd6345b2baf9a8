import DataLoader from 'dataloader';
import type { TimeBound } from '../../db/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { Answer, Question } from '../../topk/answer-questions.ts';
import type { UnitReadings } from '../../topk/fold-units.ts';
import type { AskedBefore } from './answer-memory.ts';
import { byBound } from './batch.ts';
import { ALL_SLICES, type Blocks, blockStarts, collectBlocks } from './collect-blocks.ts';
import type { ContextState, NodeReader } from './node-reader.ts';
import { planNote, rememberedNote } from './plan-note.ts';
import { type MeterRead, planRead, type ReadPlan } from './read-plan.ts';
import { answerFromSamples } from './sample-answers.ts';

export type { Answer, KeySelection, Question, RankAnswer } from '../../topk/answer-questions.ts';
export type { KeyPlace } from '../../topk/key-rows.ts';

/** A question to the keys of one read. */
export type TopperQuestion = {
  readonly contextId: number;
  readonly read: MeterRead;
  readonly question: Question;
  readonly bound: TimeBound | null;
};

/** A read, and all that is asked of it. */
type Planned = {
  readonly state: ContextState;
  readonly read: MeterRead;
  readonly plan: ReadPlan;
  readonly questions: readonly TopperQuestion[];
};

/**
 * Answers to all questions of one moment: what they read is planned together, so that a block is
 * read once however many toppers need it, and all that is not remembered comes in one statement.
 */
export const topperAnswersLoader = (reader: NodeReader): DataLoader<TopperQuestion, Answer> =>
  new DataLoader(
    (questions) => byBound(questions, (batch, bound) => answerAll(reader, batch, bound)),
    { cache: false },
  );

async function answerAll(
  reader: NodeReader,
  questions: readonly TopperQuestion[],
  bound: TimeBound | null,
): Promise<Answer[]> {
  const { memory } = reader;
  for (;;) {
    const answers = new Map<TopperQuestion, Answer>();
    const planned = await planAll(reader, questions, answers);
    const blocks = await collectBlocks(reader, planned, bound).catch((error: unknown) => {
      // Whoever looks for why it took so long has to know what was to be read.
      for (const { state, read, plan } of planned) {
        reader.onPlan(planNote(state.catalog, read, plan, null));
      }
      throw error;
    });
    const isOneSnapshot = planned.every(({ state }) => state.snapshot === reader.session.snapshot);
    // A statement of somebody else failed, and what was planned is of a snapshot that is gone.
    if (!isOneSnapshot) continue;
    await Promise.all(
      planned.map(async (each) => {
        const { state, read, plan } = each;
        const blocksRead = blocks.readCount(read.groupId, read.slot);
        reader.onPlan(planNote(state.catalog, read, plan, blocksRead));
        const found = await answerRead(reader, each, blocks, bound);
        for (const [place, question] of each.questions.entries()) {
          const answer = found[place];
          if (answer) answers.set(question, answer);
          if (answer?.kind === 'top') memory.answers.keep(askedBefore(state, question), answer);
        }
      }),
    );
    return questions.map((question) => {
      const answer = answers.get(question);
      if (!answer) throw new Error('the kernel left a question unanswered');
      return answer;
    });
  }
}

/** Puts what was answered before into `answers`, and plans the rest. */
async function planAll(
  reader: NodeReader,
  questions: readonly TopperQuestion[],
  answers: Map<TopperQuestion, Answer>,
): Promise<Planned[]> {
  const byRead = groupBy(questions, ({ read }) => readKey(read));
  const planned = await Promise.all(
    [...byRead.values()].map(async (ofRead) => {
      const [first] = ofRead;
      if (!first) throw new Error('a read without questions');
      const state = await reader.context(first.contextId);
      const { read } = first;
      const open = ofRead.filter((question) => {
        const answer = reader.memory.answers.find(askedBefore(state, question));
        if (answer) answers.set(question, answer);
        return answer === null;
      });
      if (open.length < ofRead.length) reader.onPlan(rememberedNote(state.catalog, read));
      if (open.length === 0) return null;
      return { state, read, plan: planRead(state.catalog, read), questions: open };
    }),
  );
  return planned.filter((each) => each !== null);
}

const askedBefore = (
  { memoryKey: context, versions }: ContextState,
  { read, question }: TopperQuestion,
): AskedBefore => ({ context, version: versions.version, read, question });

const readKey = ({ groupId, slot, probeId, interval }: MeterRead): string =>
  `${groupId} ${slot} ${probeId} ${interval.from} ${interval.to}`;

async function answerRead(
  { session, memory, signal }: NodeReader,
  { read, plan, questions }: Planned,
  blocks: Blocks,
  bound: TimeBound | null,
): Promise<readonly Answer[]> {
  const asked = questions.map(({ question }) => question);
  if (!plan.isPacked) return answerFromSamples(session, { read, plan, questions: asked, bound });
  return memory.kernel.fold(read.fold, unitsOf(read, plan, blocks), asked, signal);
}

/** The plan's blocks with readings of the meter, of the wanted probe and of available slices. */
function unitsOf(read: MeterRead, plan: ReadPlan, blocks: Blocks): UnitReadings[] {
  const { groupId, slot, probeId } = read;
  const units: UnitReadings[] = [];
  for (const [part, sign] of [
    [plan.runs, 1],
    [plan.less, -1],
  ] as const) {
    for (const start of blockStarts(part, groupId)) {
      for (const unit of blocks.at(start, slot)?.units ?? []) {
        const column = unit.columns.get(slot);
        if (!column || (probeId !== null && unit.probeId !== probeId)) continue;
        // Coarse blocks are of several slices; the plan has made sure of which.
        if (unit.sliceId !== ALL_SLICES && !plan.availableIds.has(unit.sliceId)) continue;
        units.push({ ids: unit.ids, shardEnds: unit.shardEnds, column, sign });
      }
    }
  }
  return units;
}
