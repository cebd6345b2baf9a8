import type { Deadline } from '../../db/session/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import { type Network, rawNetwork } from '../../domain/keys/address-forms.ts';
import {
  ceilTo,
  type EpochSeconds,
  floorTo,
  type Interval,
  isEmpty,
} from '../../domain/time/interval.ts';
import { inBatches } from '../fetch/in-batches.ts';
import type { SegmentKeys } from '../fetch/segment-keys.ts';
import type { NetworkSteps } from '../kernel/blocks/network-steps.ts';
import { nameOfRead, overlaps } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import { readStepBlocks, type SegmentSteps, type StepRead } from './step-blocks.ts';
import { type SeriesPart, StepSeries } from './step-series.ts';

/** One network's readings by step; key in raw form. */
type NetworkStepsRequest = StepRead & { readonly key: string };

type StepSizes = {
  /** Approximate number of readings in memory at once. */
  readonly readingsAtOnce: number;
  /** Maximum number of values, of all networks and steps, in memory at once. */
  readonly valuesAtOnce: number;
};

const SIZES: StepSizes = { readingsAtOnce: 8_000_000, valuesAtOnce: 4_000_000 };

/** A part of a grid's interval. */
type Piece = { readonly grid: Grid; readonly interval: Interval; readonly readings: number };

/** Networks that are read by the same steps. */
type Grid = {
  readonly first: NetworkStepsRequest;
  readonly requests: readonly NetworkStepsRequest[];
  /** By network. */
  readonly keys: readonly string[];
  readonly parts: readonly SeriesPart[][];
};

/**
 * Returns the steps of any number of networks, in the order of the requests. A network may have any
 * number of addresses, so their series are not read. Instead, the blocks of each step are scanned
 * once for all networks. Data that do not fit into memory are read piece by piece, in time order.
 */
export async function readNetworkSteps(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requests: readonly NetworkStepsRequest[],
  { deadline, sizes = SIZES }: { readonly deadline: Deadline | null; readonly sizes?: StepSizes },
): Promise<StepSeries[]> {
  const grids = [...groupBy(requests, gridName).values()].map(openGrid);
  const pieces = grids.flatMap((grid) => piecesOf(grid, live, sizes));
  for (const together of inBatches(pieces, sizes.readingsAtOnce)) {
    const reads = together.map(({ grid: { first }, interval }) => ({
      ...first,
      read: { ...first.read, interval },
    }));
    const { keys, steps } = await readStepBlocks(reader, live, reads, deadline);
    for (const [i, piece] of together.entries()) {
      await addPiece(reader, piece, { keys, steps: steps[i] ?? [] }, sizes);
    }
  }
  const found = new Map(grids.flatMap((grid) => seriesOf(grid)));
  return requests.map((request) => found.get(request) as StepSeries);
}

const gridName = ({ read, stepSeconds }: NetworkStepsRequest): string =>
  `${nameOfRead(read)} ${stepSeconds}`;

function openGrid(requests: readonly NetworkStepsRequest[]): Grid {
  const [first] = requests;
  if (!first) throw new Error('a grid without requests');
  const keys = [...new Set(requests.map(({ key }) => key))];
  return { first, requests, keys, parts: keys.map(() => []) };
}

const originOf = ({ read, stepSeconds }: StepRead): EpochSeconds =>
  floorTo(read.interval.from, stepSeconds);

/** Divides the interval into parts of whole steps, each with about the maximum of readings. */
function piecesOf(grid: Grid, live: readonly ScopedSegment[], sizes: StepSizes): Piece[] {
  const { read, stepSeconds } = grid.first;
  if (isEmpty(read.interval)) return [];
  const own = live.filter((segment) => overlaps(segment, read));
  const rows = own.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const steps = Math.ceil((read.interval.to - originOf(grid.first)) / stepSeconds);
  // A segment's rows are counted as if all of them were in the interval.
  const count = Math.min(steps, Math.ceil(rows / sizes.readingsAtOnce) || 1);
  const seconds = ceilTo((steps * stepSeconds) / count, stepSeconds);
  const pieces: Piece[] = [];
  for (let at = originOf(grid.first); at < read.interval.to; at += seconds) {
    const interval = {
      from: Math.max(at, read.interval.from),
      to: Math.min(at + seconds, read.interval.to),
    };
    pieces.push({ grid, interval, readings: rows / count });
  }
  return pieces;
}

type BlocksOfPiece = { readonly keys: SegmentKeys; readonly steps: readonly SegmentSteps[] };

/** Adds the readings of the networks in the steps of a piece, some networks at a time. */
async function addPiece(
  reader: SegmentReader,
  { grid, interval }: Piece,
  { keys, steps }: BlocksOfPiece,
  { valuesAtOnce }: StepSizes,
): Promise<void> {
  const { first, parts } = grid;
  const { stepSeconds, read } = first;
  const start = floorTo(interval.from, stepSeconds);
  const stepCount = Math.ceil((interval.to - start) / stepSeconds);
  const networks = grid.keys.map(networkOf);
  const lists = steps.map(({ segment, blocks }) => ({
    keys: keys.of(segment),
    blocks: blocks.flatMap(({ step, block: { ids, column } }) =>
      column ? [{ step: (step - start) / stepSeconds, ids, column }] : [],
    ),
  }));
  const atOnce = Math.max(1, Math.floor(valuesAtOnce / stepCount));
  for (let from = 0; from < networks.length; from += atOnce) {
    const some = networks.slice(from, from + atOnce);
    const question = { aggregate: read.aggregate, networks: some, stepCount, lists };
    const found = await reader.threadPool.aggregateNetworkSteps(question, reader.caller);
    const shift = (start - originOf(first)) / stepSeconds;
    for (const [i, own] of found.entries()) parts[from + i]?.push(toPart(own, shift));
    await reader.pause();
  }
}

function networkOf(key: string): Network {
  const network = rawNetwork(key);
  if (network === null) throw new Error(`${key} is the key of no network`);
  return network;
}

const toPart = ({ steps, column }: NetworkSteps, shift: number): SeriesPart => ({
  ids: steps,
  shift,
  columns: [column],
});

function seriesOf({ first, requests, keys, parts }: Grid): [NetworkStepsRequest, StepSeries][] {
  const { stepSeconds, read } = first;
  const series = new Map(
    keys.map((key, i) => [
      key,
      new StepSeries({ origin: originOf(first), stepSeconds }, parts[i] ?? [], read.aggregate),
    ]),
  );
  return requests.map((request) => [request, series.get(request.key) as StepSeries]);
}
