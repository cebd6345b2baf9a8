import type { Deadline } from '../../db/session/read-session.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import type { KernelQuestion } from '../kernel/rank-keys.ts';
import type { OrdinalSelection } from '../kernel/select/select-rows.ts';
import { ordinalsWithinEach } from '../keys/keys-within.ts';
import { uniteParts } from '../keys/united-keys.ts';
import type {
  AnswerOf,
  BlockQuestion,
  ChangesQuestion,
  KeyAnswer,
  KeysWithin,
  SegmentQuestion,
} from '../plan/key-questions.ts';
import { planQuestions, type ScanPlan } from '../plan/plan-segments.ts';
import type { ScopedSegment, ScopedSegments } from '../plan/scoped-segment.ts';
import { inPauses } from '../snapshot/event-loop-scheduler.ts';
import { SectionRequests, type SegmentReader } from '../snapshot/segment-reader.ts';
import { HeadAnswers } from './head-answers.ts';
import {
  type AggregateQuestion,
  fromChanges,
  fromKernel,
  type NamedKeys,
  toKernel,
} from './kernel-questions.ts';
import {
  blocksToAdd,
  findPassingKeys,
  openParts,
  openSource,
  type PartsRead,
  type PartsToRead,
  type ReadSource,
  requestParts,
} from './open-parts.ts';

/**
 * Answers all questions of one batch, in their order. They are planned together: keys and blocks
 * that are not cached are read by one statement, each once.
 */
export async function answerSegments<Question extends BlockQuestion>(
  reader: SegmentReader,
  live: ScopedSegments,
  questions: readonly SegmentQuestion<Question>[],
  deadline: Deadline | null,
): Promise<AnswerOf<Question>[]> {
  const { answers } = await answerPlanned(reader, planQuestions(live, questions), deadline);
  return questions.map((question) => answers.get(question) as AnswerOf<Question>);
}

export type PlannedAnswers = {
  readonly answers: ReadonlyMap<SegmentQuestion, KeyAnswer>;
  /** For each read, the number of its blocks that were not cached. */
  readonly blocksRead: ReadonlyMap<ScanPlan, number>;
  /** The reads that were answered by a head and the edges of its segment. */
  readonly certified: ReadonlySet<ScanPlan>;
};

export async function answerPlanned(
  reader: SegmentReader,
  planned: readonly ScanPlan[],
  deadline: Deadline | null,
): Promise<PlannedAnswers> {
  const requests = new SectionRequests();
  const known = openParts(reader);
  const heads = new HeadAnswers(reader, known.blocks);
  const blocksRead = new Map<ScanPlan, number>();
  const byBlocks: ScanPlan[] = [];
  const byHeads: ScanPlan[] = [];
  for (const each of planned) {
    const ofHead = heads.request(each, requests);
    (ofHead === null ? byBlocks : byHeads).push(each);
    blocksRead.set(each, ofHead ?? requestParts(known, partsOf(each), requests));
  }
  const sectionsOf = await requests.read(reader, deadline);
  await heads.decode(sectionsOf);
  await decodeParts(known, sectionsOf);
  const ofHeads = new Map(byHeads.map((each) => [each, heads.of(each)]));
  const others = byHeads.filter((each) => !ofHeads.get(each));
  await readOthers(reader, others, { known, blocksRead, deadline });
  // One after the other: the next one finds what the previous one made of a segment's keys.
  const sources = new Map<ScanPlan, ReadSource>();
  for (const each of [...byBlocks, ...others]) {
    sources.set(each, await openSource(reader, partsOf(each), known));
  }
  const answers = new Map<SegmentQuestion, KeyAnswer>();
  // Concurrently, so that the keys their filters need are read together.
  await Promise.all(
    planned.map(async (each) => {
      const found =
        ofHeads.get(each)?.answers ??
        (await answerRead(reader, each, sources.get(each) as ReadSource));
      for (const [i, answer] of found.entries()) {
        answers.set(each.questions[i] as SegmentQuestion, answer);
      }
    }),
  );
  const certified = new Set(byHeads.filter((each) => ofHeads.get(each)?.isCertified));
  return { answers, blocksRead, certified };
}

const partsOf = ({ group, read, parts, since }: ScanPlan): PartsToRead => ({
  group,
  read,
  parts: [...parts, ...since],
});

/** Blocks first: a thread decodes them meanwhile. */
async function decodeParts(
  { blocks, keys }: PartsRead,
  sectionsOf: (segment: ScopedSegment) => Sections,
): Promise<void> {
  await Promise.all([blocks.decode(sectionsOf), keys.decode(sectionsOf)]);
}

type Reading = {
  readonly known: PartsRead;
  readonly blocksRead: Map<ScanPlan, number>;
  readonly deadline: Deadline | null;
};

/** Reads the keys and blocks of reads whose heads were not enough. */
async function readOthers(
  reader: SegmentReader,
  others: readonly ScanPlan[],
  { known, blocksRead, deadline }: Reading,
): Promise<void> {
  const requests = new SectionRequests();
  for (const each of others) {
    const count = requestParts(known, partsOf(each), requests);
    blocksRead.set(each, (blocksRead.get(each) ?? 0) + count);
  }
  await decodeParts(known, await requests.read(reader, deadline));
}

async function answerRead(
  reader: SegmentReader,
  { read, parts, since, questions }: ScanPlan,
  source: ReadSource,
): Promise<KeyAnswer[]> {
  const union = await uniteParts(reader, [...parts, ...since], source);
  const named: NamedKeys = { keys: union.keys, codec: source.codec };
  const passing = await Promise.all(
    questions.map(({ question }) =>
      question.kind === 'values' || question.passing === null
        ? null
        : findPassingKeys(reader, union, question.passing),
    ),
  );
  // Only now: the keys that filters need are read together.
  await reader.pause();
  const { blocks } = source;
  const { aggregate } = read;
  const now = blocksToAdd(reader, { read, parts, union, blocks });
  const withins = questions.flatMap(({ question }) => withinOf(question) ?? []);
  const ordinals = await inPauses(reader, ordinalsWithinEach(withins, named));
  const selected = questions.map(({ question }, i) => {
    const within = withinOf(question);
    const selection: OrdinalSelection = {
      within: within && (ordinals.get(within) ?? []),
      passing: passing[i] ?? null,
    };
    return { question, selection };
  });
  // All questions of a read compare it with the same window, or with none.
  const changes = selected.filter(isOfChanges);
  if (changes.length > 0) {
    const before = blocksToAdd(reader, { read, parts: since, union, blocks });
    const found = await reader.threadPool.compare(
      { aggregate, now, before },
      changes.map(({ question, selection }) => ({
        ...selection,
        change: question.change,
        maxItems: question.maxItems,
      })),
      reader.caller,
    );
    return answersOf(reader, found, (answer) => fromChanges(answer, named));
  }
  const kernelQuestions: KernelQuestion[] = [];
  for (const each of selected.filter(isOfAggregate)) {
    kernelQuestions.push(await toKernel(each, named, reader.afterKeys));
  }
  const found = await reader.threadPool.aggregate(aggregate, now, kernelQuestions, reader.caller);
  return answersOf(reader, found, (answer) => fromKernel(answer, named));
}

/** Makes an answer of each item: each may list thousands of keys, whose names are decoded. */
async function answersOf<T>(
  reader: SegmentReader,
  items: readonly T[],
  answerOf: (item: T) => KeyAnswer,
): Promise<KeyAnswer[]> {
  const answers: KeyAnswer[] = [];
  for (const [i, item] of items.entries()) {
    if (i > 0) await reader.pause();
    answers.push(answerOf(item));
  }
  return answers;
}

const withinOf = (question: BlockQuestion): KeysWithin | null =>
  question.kind === 'values' ? null : question.within;

type Selected<Q> = { readonly question: Q; readonly selection: OrdinalSelection };

const isOfChanges = (selected: Selected<BlockQuestion>): selected is Selected<ChangesQuestion> =>
  selected.question.kind === 'changes';

const isOfAggregate = (
  selected: Selected<BlockQuestion>,
): selected is Selected<AggregateQuestion> => selected.question.kind !== 'changes';
