import type { Deadline } from '../../db/session/read-session.ts';
import { addKey, emptyKeySet, hasKey, type KeySet } from '../../segments/filter/key-set.ts';
import { NETWORK_CODEC } from '../../segments/keys/form-networks.ts';
import {
  findPassingKeys,
  networkLists,
  openParts,
  type PartsRead,
  requestParts,
} from '../answer/open-parts.ts';
import { ordinalsWithin } from '../keys/keys-within.ts';
import { mapped, uniteParts } from '../keys/united-keys.ts';
import type { KeySelection } from '../plan/key-questions.ts';
import { overlaps } from '../plan/meter-scan.ts';
import type { SegmentPart } from '../plan/plan-segments.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { inPauses } from '../snapshot/event-loop-scheduler.ts';
import { SectionRequests, type SegmentReader } from '../snapshot/segment-reader.ts';
import type { StepRead } from './step-blocks.ts';
import {
  originOfSteps,
  type PieceRead,
  partOfPiece,
  readInPieces,
  STEP_SIZES,
  type StepSizes,
} from './step-pieces.ts';
import { type SeriesPart, StepSeries } from './step-series.ts';

/** Asks for the readings of all keys that are selected, together, by step. */
type PassingStepsRequest = StepRead & { readonly selection: KeySelection };

/** mapOf: from the ordinals of a segment's keys to those of the set; null: the same. */
type SelectedKeys = {
  /** null: every key counts. */
  readonly passing: KeySet | null;
  readonly mapOf: (segment: ScopedSegment) => Uint32Array | null;
};

type OpenRequest = PassingStepsRequest & {
  readonly selected: SelectedKeys;
  readonly found: SeriesPart[];
};

/**
 * Returns the steps of selected keys of any number of reads. The keys may be any number, so their
 * series are not read. Instead, the blocks of each step are scanned.
 */
export async function readPassingSteps(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requests: readonly PassingStepsRequest[],
  {
    deadline,
    sizes = STEP_SIZES,
  }: { readonly deadline: Deadline | null; readonly sizes?: StepSizes },
): Promise<StepSeries[]> {
  const open = await openRequests(reader, live, requests, deadline);
  const add = (piece: PieceRead<OpenRequest>) => addPiece(reader, piece);
  await readInPieces(reader, live, open, { deadline, sizes, add });
  return open.map(
    (each) =>
      new StepSeries(
        { origin: originOfSteps(each), stepSeconds: each.stepSeconds },
        each.found,
        each.read.aggregate,
      ),
  );
}

const NO_BLOCKS = { runs: [], subtract: [] };

/** Finds the keys that pass in the keys of all segments, as a topper does, once for all pieces. */
async function openRequests(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requests: readonly PassingStepsRequest[],
  deadline: Deadline | null,
): Promise<OpenRequest[]> {
  const known = openParts(reader);
  const sections = new SectionRequests();
  const partsOf = requests.map(({ group, read, selection }): SegmentPart[] => {
    if (selection.passing === null && selection.within === null) return [];
    const own = live.filter((segment) => overlaps(segment, read));
    const parts = own.map((segment) => ({ segment, cover: NO_BLOCKS, above: [] }));
    requestParts(known, { group, read, parts }, sections);
    return parts;
  });
  await known.keys.decode(await sections.read(reader, deadline));
  const open: OpenRequest[] = [];
  for (const [i, request] of requests.entries()) {
    const selected = await findSelected(reader, request, { known, parts: partsOf[i] ?? [] });
    open.push({ ...request, selected, found: [] });
  }
  return open;
}

const ALL_KEYS: SelectedKeys = { passing: null, mapOf: () => null };

async function findSelected(
  reader: SegmentReader,
  { group, read, selection }: PassingStepsRequest,
  { known, parts }: { readonly known: PartsRead; readonly parts: readonly SegmentPart[] },
): Promise<SelectedKeys> {
  const { within, passing: matcher } = selection;
  if (within === null && matcher === null) return ALL_KEYS;
  const segments = parts.map(({ segment }) => segment);
  const networks =
    read.prefix && (await networkLists(reader, segments, { ...known, lengths: read.prefix }));
  const lists = { keys: networks ?? known.keys, rollUps: known.blocks };
  const union = await uniteParts(reader, parts, lists);
  let passing = matcher && (await findPassingKeys(reader, union, matcher));
  if (within !== null) {
    const codec = networks ? NETWORK_CODEC : group.codec;
    const ordinals = await inPauses(reader, ordinalsWithin(within, { keys: union.keys, codec }));
    passing = setOf(ordinals, union.keys.count, passing);
  }
  const toUnion = new Map(parts.map((part) => [part.segment, union.mapOf(part)]));
  const mapOf = (segment: ScopedSegment): Uint32Array | null => {
    const map = toUnion.get(segment) ?? null;
    const toNetworks = networks?.mapOf(segment);
    return toNetworks && map ? mapped(toNetworks, map) : (toNetworks ?? map);
  };
  return { passing, mapOf };
}

/** Returns those of the keys that are also in `among`; null: all of them. */
function setOf(ordinals: readonly number[], count: number, among: KeySet | null): KeySet {
  const set = emptyKeySet(count);
  for (const ordinal of ordinals) {
    if (among === null || hasKey(among, ordinal)) addKey(set, ordinal);
  }
  return set;
}

async function addPiece(
  reader: SegmentReader,
  { of, stepCount, shift, lists }: PieceRead<OpenRequest>,
): Promise<void> {
  const { passing, mapOf } = of.selected;
  const mappedLists = lists.map(({ segment, blocks }) => ({ map: mapOf(segment), blocks }));
  const question = { aggregate: of.read.aggregate, passing, stepCount, lists: mappedLists };
  const [sums] = await reader.threadPool.aggregateSteps(question, reader.caller);
  if (sums) of.found.push(partOfPiece(sums, shift));
  await reader.pause();
}
