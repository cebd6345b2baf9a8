import type { TimeBound } from '../../../db/read-session.ts';
import { groupBy } from '../../../domain/group-by.ts';
import type { KeySet } from '../../../segments/filter/key-set.ts';
import type { LiveSegments } from '../../../store/read/manifest.ts';
import type { BlockRun } from '../../../topk/cover.ts';
import type { UnitReadings } from '../../../topk/fold-units.ts';
import { SharedArrays } from '../../../topk/shared-arrays.ts';
import { SegmentBlocks, type StartedBlock } from '../blocks/segment-blocks.ts';
import { keysOfSource, mapped, type PartsUnion, uniteParts } from '../keys/parts-union.ts';
import { SegmentKeys } from '../keys/segment-keys.ts';
import type {
  KeyAnswer,
  KeysPassing,
  SegmentGroup,
  SegmentQuestion,
} from '../plan/key-questions.ts';
import type { MeterRead } from '../plan/meter-read.ts';
import { planSegments, type SegmentPart } from '../plan/plan-segments.ts';
import { identityOf, SectionWishes, type SegmentReader } from '../session/segment-reader.ts';
import { fromKernel, type NamedKeys, toKernel } from './kernel-questions.ts';

/** A read, the segments that it needs, and all that is asked of it. */
export type PlannedRead = {
  readonly group: SegmentGroup;
  readonly read: MeterRead;
  readonly parts: readonly SegmentPart[];
  readonly questions: readonly SegmentQuestion[];
};

/**
 * Answers to all questions of one moment, in their order. What they need is planned together: keys
 * and blocks that are not remembered come in one statement, each once.
 */
export async function answerSegments(
  reader: SegmentReader,
  live: LiveSegments,
  questions: readonly SegmentQuestion[],
  bound: TimeBound | null,
): Promise<KeyAnswer[]> {
  const { answers } = await answerPlanned(reader, planQuestions(live, questions), bound);
  return questions.map((question) => answers.get(question) as KeyAnswer);
}

/** Which segments and blocks answer the questions, by what they read. */
export const planQuestions = (
  live: LiveSegments,
  questions: readonly SegmentQuestion[],
): PlannedRead[] => [...groupBy(questions, readName).values()].map((ofRead) => plan(live, ofRead));

export type PlannedAnswers = {
  readonly answers: ReadonlyMap<SegmentQuestion, KeyAnswer>;
  /** Of each read, how many of its blocks were not remembered. */
  readonly blocksRead: ReadonlyMap<PlannedRead, number>;
};

export async function answerPlanned(
  reader: SegmentReader,
  planned: readonly PlannedRead[],
  bound: TimeBound | null,
): Promise<PlannedAnswers> {
  const wishes = new SectionWishes();
  const keys = new SegmentKeys(reader);
  const blocks = new SegmentBlocks(reader);
  const blocksRead = new Map<PlannedRead, number>();
  for (const each of planned) {
    const { group, read, parts } = each;
    let count = 0;
    for (const part of parts) {
      const { segment, cover, above } = part;
      if (above.length === 0) keys.want(group, segment, wishes);
      for (const step of above) blocks.want(step.rollUp, keysOfSource(step), 0, wishes);
      for (const run of [...cover.runs, ...cover.less]) {
        count += blocks.want(segment, run, read.slot - 1, wishes);
      }
    }
    blocksRead.set(each, count);
  }
  const sectionsOf = await wishes.read(reader, bound);
  // Blocks first: a thread decodes them meanwhile.
  await Promise.all([blocks.decode(sectionsOf), keys.decode(sectionsOf)]);
  const answers = new Map<SegmentQuestion, KeyAnswer>();
  // Side by side, so that what their filters have to know is read together.
  await Promise.all(
    planned.map(async (each) => {
      for (const [i, answer] of (await answerRead(reader, each, { keys, blocks })).entries()) {
        answers.set(each.questions[i] as SegmentQuestion, answer);
      }
    }),
  );
  return { answers, blocksRead };
}

const readName = ({ read }: SegmentQuestion): string => {
  const { groupId, slot, probeId, interval } = read;
  return `${groupId} ${slot} ${probeId} ${interval.from} ${interval.to}`;
};

function plan(live: LiveSegments, questions: readonly SegmentQuestion[]): PlannedRead {
  const [first] = questions;
  if (!first) throw new Error('a read without questions');
  const { group, read } = first;
  return { group, read, parts: planSegments(live, read), questions };
}

type Known = { readonly keys: SegmentKeys; readonly blocks: SegmentBlocks };

async function answerRead(
  reader: SegmentReader,
  { group, read, parts, questions }: PlannedRead,
  { keys, blocks }: Known,
): Promise<KeyAnswer[]> {
  const union = await uniteParts(reader, parts, { keys, blocks });
  const named: NamedKeys = { keys: union.keys, codec: group.codec };
  const passing = await Promise.all(
    questions.map(({ question }) =>
      question.kind === 'values' || question.passing === null
        ? null
        : passingKeys(reader, union, question.passing),
    ),
  );
  const asked = questions.map(({ question }, i) => toKernel(question, named, passing[i] ?? null));
  const units = unitsOf(reader, { read, parts, union, blocks });
  const found = await reader.threadPool.fold(read.fold, units, asked, reader.signal);
  const { fold } = read;
  return questions.map(({ question }, i) => {
    const answer = found[i];
    if (!answer) throw new Error('the kernel left a question unanswered');
    return fromKernel(question, answer, { named, fold });
  });
}

async function passingKeys(
  { memory }: SegmentReader,
  union: PartsUnion,
  { name, match }: KeysPassing,
): Promise<KeySet> {
  const known = memory.find('filters', `${union.name} ${name}`);
  if (known) return known;
  const found = await match(union.keys);
  memory.keep('filters', `${union.name} ${name}`, found);
  return found;
}

type UnitsWanted = {
  readonly read: MeterRead;
  readonly parts: readonly SegmentPart[];
  readonly union: PartsUnion;
  readonly blocks: SegmentBlocks;
};

/** Blocks with readings, their keys by their ordinals in the union. */
function unitsOf(
  { memory }: SegmentReader,
  { read, parts, union, blocks }: UnitsWanted,
): UnitReadings[] {
  const units: UnitReadings[] = [];
  const arrays = new SharedArrays();
  for (const part of parts) {
    const { segment, cover } = part;
    const map = union.mapOf(part);
    const toUnion = ({ level }: BlockRun, { start, block: { ids } }: StartedBlock): Uint32Array => {
      // A block of all keys is the map itself.
      if (map === null || ids.length === map.length) return map ?? ids;
      const name = `${identityOf(segment)} ${level} ${start} ${union.name}`;
      const known = memory.find('mapped', name);
      if (known) return known;
      const own = mapped(ids, map, arrays);
      memory.keep('mapped', name, own);
      return own;
    };
    for (const [runs, sign] of [
      [cover.runs, 1],
      [cover.less, -1],
    ] as const) {
      for (const run of runs) {
        for (const started of blocks.startsOf(segment, run, read.slot - 1)) {
          const { column } = started.block;
          if (column === null) continue;
          units.push({ ids: toUnion(run, started), column, sign });
        }
      }
    }
  }
  return units;
}
