import type { Deadline } from '../../db/session/read-session.ts';
import { lengthsName } from '../../domain/filters/network-lengths.ts';
import { ceilTo, clippedSteps, type Interval } from '../../domain/time/interval.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { fromTop } from '../answer/kernel-questions.ts';
import {
  findPassingKeys,
  openParts,
  openSource,
  type PartsRead,
  type ReadSource,
  requestParts,
} from '../answer/open-parts.ts';
import type { KnownBlock } from '../cache/segment-cache.ts';
import { inBatches } from '../fetch/in-batches.ts';
import type { BlockReadings } from '../kernel/aggregate/aggregate-blocks.ts';
import { blocksIn, type Cover, coverSegment, signedRuns } from '../kernel/cover/cover.ts';
import type { TrendPart, TrendStep } from '../kernel/rank-trend.ts';
import { ordinalsWithin } from '../keys/keys-within.ts';
import { type PartsUnion, uniteParts } from '../keys/united-keys.ts';
import type { SegmentGroup, TopKeys, TrendAnswer, TrendQuestion } from '../plan/key-questions.ts';
import type { MeterScan } from '../plan/meter-scan.ts';
import { overlaps } from '../plan/meter-scan.ts';
import { type SegmentPart, timeOf } from '../plan/plan-segments.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { inPauses } from '../snapshot/event-loop-scheduler.ts';
import { SectionRequests, type SegmentReader, segmentName } from '../snapshot/segment-reader.ts';

/** A question to each step of a read's interval. */
type RequestedTrend = {
  readonly group: SegmentGroup;
  readonly read: MeterScan;
  readonly question: TrendQuestion;
};

type TrendSizes = {
  /** Approximate number of readings in memory at once. */
  readonly readingsAtOnce: number;
  /** Blocks and readings passed to a thread together; limited so that others do not wait long. */
  readonly unitsOfTask: number;
  readonly readingsOfTask: number;
};

const SIZES: TrendSizes = {
  readingsAtOnce: 8_000_000,
  unitsOfTask: 300,
  readingsOfTask: 500_000,
};

type TrendOptions = {
  readonly deadline: Deadline | null;
  readonly sizes?: TrendSizes;
};

/** Consecutive steps of a trend, and approximately how many readings they have. */
type Piece = {
  readonly requested: RequestedTrend;
  readonly steps: readonly Interval[];
  readonly readings: number;
};

/**
 * Returns the first keys of each step of any number of trends, in their order. All steps are
 * planned, read and passed to the kernel together: each block is read once and each list of keys
 * merged once, however many steps there are. Trends that do not fit into memory are read piece by
 * piece, in time order.
 */
export async function answerTrends(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requested: readonly RequestedTrend[],
  { deadline, sizes = SIZES }: TrendOptions,
): Promise<TrendAnswer[]> {
  const answers = new Map(requested.map((each): [RequestedTrend, TopKeys[]] => [each, []]));
  const pieces = requested.flatMap((each) => piecesOf(each, live, sizes));
  for (const together of inBatches(pieces, sizes.readingsAtOnce)) {
    const planned: PlannedPiece[] = [];
    for (const piece of together) planned.push(await planPiece(reader, live, piece));
    const requests = new SectionRequests();
    const known = openParts(reader);
    for (const each of planned) {
      requestParts(known, partsOf(each), requests);
      await reader.pause();
    }
    const sectionsOf = await requests.read(reader, deadline);
    // Blocks first: a thread decodes them meanwhile.
    await Promise.all([known.blocks.decode(sectionsOf), known.keys.decode(sectionsOf)]);
    for (const each of planned) {
      answers
        .get(each.piece.requested)
        ?.push(...(await answerPiece(reader, each, { known, sizes })));
    }
  }
  return requested.map((each) => ({ kind: 'trend', steps: answers.get(each) ?? [] }));
}

/** Divides a trend into parts of whole steps, each with about the maximum number of readings. */
function piecesOf(
  requested: RequestedTrend,
  live: readonly ScopedSegment[],
  sizes: TrendSizes,
): Piece[] {
  const { read, question } = requested;
  const steps = clippedSteps(read.interval, question.stepSeconds);
  const readings = live
    .filter((segment) => overlaps(segment, read))
    .reduce((sum, segment) => sum + readingsWithin(segment, read), 0);
  const count = Math.max(1, Math.min(steps.length, Math.ceil(readings / sizes.readingsAtOnce)));
  const length = Math.ceil(steps.length / count);
  return Array.from({ length: count }, (_, i) => ({
    requested,
    steps: steps.slice(i * length, (i + 1) * length),
    readings: readings / count,
  }));
}

/** Estimates as if a segment's readings were spread evenly over its span. */
function readingsWithin(
  { firstBucket, lastBucket, rowCount }: ScopedSegment,
  { interval, bucketSeconds }: MeterScan,
): number {
  const end = lastBucket + bucketSeconds;
  const shared = Math.min(interval.to, end) - Math.max(interval.from, firstBucket);
  return (rowCount * Math.max(0, shared)) / (end - firstBucket);
}

/** What is read of a segment in a step. */
type StepPart = SegmentPart & {
  /** The name in the cache of all its blocks combined; null: it has only one. */
  readonly sumName: string | null;
  /** The combined blocks, if they are cached. */
  readonly known: KnownBlock | null;
};

/** A piece, and the blocks of each of its steps. */
type PlannedPiece = { readonly piece: Piece; readonly parts: readonly (readonly StepPart[])[] };

async function planPiece(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  piece: Piece,
): Promise<PlannedPiece> {
  const { read } = piece.requested;
  const own = live.filter((segment) => overlaps(segment, read));
  const parts: StepPart[][] = [];
  for (const interval of piece.steps) {
    const ofStep = { ...read, interval };
    const segments = own.filter((segment) => overlaps(segment, ofStep));
    parts.push(segments.flatMap((segment) => partOf(reader, segment, ofStep)));
    await reader.pause();
  }
  return { piece, parts };
}

/** Roll-ups have no steps as short as those of most trends, so only segments are read. */
function partOf(reader: SegmentReader, segment: ScopedSegment, read: MeterScan): StepPart[] {
  const cover = coverSegment(read.interval, timeOf(segment, read), isCounting(read.aggregate));
  if (cover.runs.length === 0) return [];
  const blocks = [...cover.runs, ...cover.subtract].reduce((sum, run) => sum + blocksIn(run), 0);
  const sumName = blocks === 1 ? null : nameOfSum(reader, segment, read);
  const known = sumName === null ? null : (reader.memory.find('blocks', sumName) ?? null);
  return [{ segment, cover: known ? NO_BLOCKS : cover, above: [], sumName, known }];
}

const NO_BLOCKS: Cover = { runs: [], subtract: [] };

/** Equal if the same buckets of the segment are combined. */
function nameOfSum(
  reader: SegmentReader,
  segment: ScopedSegment,
  { interval, bucketSeconds, meterIndex, prefix }: MeterScan,
): string {
  const from = Math.max(ceilTo(interval.from, bucketSeconds), segment.firstBucket);
  const to = Math.min(ceilTo(interval.to, bucketSeconds), segment.lastBucket + bucketSeconds);
  const name = `${segmentName(reader, segment)} ${from}-${to} ${meterIndex}`;
  return prefix ? `${name} ${lengthsName(prefix)}` : name;
}

const partsOf = ({ piece: { requested }, parts }: PlannedPiece) => ({
  group: requested.group,
  read: requested.read,
  parts: parts.flat(),
});

type Answering = { readonly known: PartsRead; readonly sizes: TrendSizes };

async function answerPiece(
  reader: SegmentReader,
  planned: PlannedPiece,
  { known, sizes }: Answering,
): Promise<TopKeys[]> {
  const { piece, parts } = planned;
  const { read, question } = piece.requested;
  const request = partsOf(planned);
  const source = await openSource(reader, request, known);
  const union = await uniteParts(reader, request.parts, source);
  const named = { keys: union.keys, codec: source.codec };
  const passing = question.passing && (await findPassingKeys(reader, union, question.passing));
  const { maxItems } = question;
  const within =
    question.within && (await inPauses(reader, ordinalsWithin(question.within, named)));
  const selection = { maxItems, within, passing };
  const found: TopKeys[] = [];
  for (const steps of tasksOf(parts, { read, union, source }, sizes)) {
    const trend = {
      aggregate: read.aggregate,
      steps: steps.map((step) => step.map(({ mapped }) => mapped)),
      question: selection,
    };
    const ranked = await reader.threadPool.rankTrend(trend, reader.caller);
    for (const [i, step] of ranked.entries()) {
      found.push(fromTop(step.answer, named));
      keepSums(reader, steps[i] ?? [], step);
    }
    await reader.pause();
  }
  return found;
}

/** Yields the steps that are passed to a thread together, mapped only when they are needed. */
function* tasksOf(
  parts: PlannedPiece['parts'],
  units: UnitsOf,
  sizes: TrendSizes,
): Generator<MappedPart[][]> {
  let steps: MappedPart[][] = [];
  let blocks = 0;
  let readings = 0;
  for (const ofStep of parts) {
    const step = ofStep.map((part) => mappedPart(part, units));
    steps.push(step);
    for (const { mapped } of step) {
      blocks += mapped.blocks.length;
      readings += mapped.blocks.reduce((sum, { ids }) => sum + ids.length, 0);
    }
    if (blocks < sizes.unitsOfTask && readings < sizes.readingsOfTask) continue;
    yield steps;
    steps = [];
    blocks = 0;
    readings = 0;
  }
  if (steps.length > 0) yield steps;
}

type UnitsOf = {
  readonly read: MeterScan;
  readonly union: PartsUnion;
  readonly source: ReadSource;
};

type MappedPart = { readonly part: StepPart; readonly mapped: TrendPart };

function mappedPart(part: StepPart, { read, union, source }: UnitsOf): MappedPart {
  const { segment, cover, known } = part;
  const map = union.mapOf(part);
  const blocks: BlockReadings[] = known ? unitOf(known, 1) : [];
  for (const { run, sign } of signedRuns(cover)) {
    for (const { block } of source.blocks.startsOf(segment, run, read)) {
      blocks.push(...unitOf(block, sign));
    }
  }
  return { part, mapped: { blocks, map } };
}

const unitOf = ({ ids, column }: KnownBlock, sign: 1 | -1): BlockReadings[] =>
  column === null ? [] : [{ ids, column, sign }];

/** Keeps the combined blocks of each part of a step, so that the next trend adds up less. */
function keepSums(
  { memory }: SegmentReader,
  parts: readonly MappedPart[],
  { sums }: TrendStep,
): void {
  for (const [i, { part, mapped }] of parts.entries()) {
    const { sumName, known } = part;
    if (sumName === null || known) continue;
    const [{ ids, column } = NOTHING] = mapped.blocks;
    memory.keep('blocks', sumName, sums[i] ?? { ids, column });
  }
}

const NOTHING: KnownBlock = { ids: new Uint32Array(0), column: null };
