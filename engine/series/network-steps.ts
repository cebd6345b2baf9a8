import type { Deadline } from '../../db/session/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import { type Network, rawNetwork } from '../../domain/keys/address-forms.ts';
import { nameOfRead } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
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

/** One network's readings by step; key in raw form. */
type NetworkStepsRequest = StepRead & { readonly key: string };

/** Networks that are read by the same steps. */
type Grid = StepRead & {
  readonly requests: readonly NetworkStepsRequest[];
  /** By network. */
  readonly keys: readonly string[];
  readonly parts: readonly SeriesPart[][];
};

/**
 * Returns the steps of any number of networks, in the order of the requests. A network may have any
 * number of addresses, so their series are not read. Instead, the blocks of each step are scanned
 * once for all networks.
 */
export async function readNetworkSteps(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requests: readonly NetworkStepsRequest[],
  {
    deadline,
    sizes = STEP_SIZES,
  }: { readonly deadline: Deadline | null; readonly sizes?: StepSizes },
): Promise<StepSeries[]> {
  const grids = [...groupBy(requests, gridName).values()].map(openGrid);
  const add = (piece: PieceRead<Grid>) => addPiece(reader, piece, sizes);
  await readInPieces(reader, live, grids, { deadline, sizes, add });
  const found = new Map(grids.flatMap((grid) => seriesOf(grid)));
  return requests.map((request) => found.get(request) as StepSeries);
}

const gridName = ({ read, stepSeconds }: NetworkStepsRequest): string =>
  `${nameOfRead(read)} ${stepSeconds}`;

function openGrid(requests: readonly NetworkStepsRequest[]): Grid {
  const [first] = requests;
  if (!first) throw new Error('a grid without requests');
  const { group, read, stepSeconds } = first;
  const keys = [...new Set(requests.map(({ key }) => key))];
  return { group, read, stepSeconds, requests, keys, parts: keys.map(() => []) };
}

/** Adds the readings of the networks in the steps of a piece, some networks at a time. */
async function addPiece(
  reader: SegmentReader,
  { of: grid, stepCount, shift, keys, lists }: PieceRead<Grid>,
  { valuesAtOnce }: StepSizes,
): Promise<void> {
  const { read, parts } = grid;
  const networks = grid.keys.map(networkOf);
  const keyed = lists.map(({ segment, blocks }) => ({ keys: keys.of(segment), blocks }));
  const atOnce = Math.max(1, Math.floor(valuesAtOnce / stepCount));
  for (let from = 0; from < networks.length; from += atOnce) {
    const some = networks.slice(from, from + atOnce);
    const question = { aggregate: read.aggregate, networks: some, stepCount, lists: keyed };
    const found = await reader.threadPool.aggregateSteps(question, reader.caller);
    for (const [i, own] of found.entries()) parts[from + i]?.push(partOfPiece(own, shift));
    await reader.pause();
  }
}

function networkOf(key: string): Network {
  const network = rawNetwork(key);
  if (network === null) throw new Error(`${key} is the key of no network`);
  return network;
}

function seriesOf(grid: Grid): [NetworkStepsRequest, StepSeries][] {
  const { stepSeconds, read, keys, parts } = grid;
  const series = new Map(
    keys.map((key, i) => [
      key,
      new StepSeries({ origin: originOfSteps(grid), stepSeconds }, parts[i] ?? [], read.aggregate),
    ]),
  );
  return grid.requests.map((request) => [request, series.get(request.key) as StepSeries]);
}
