import type { Deadline } from '../../db/session/read-session.ts';
import {
  ceilTo,
  type EpochSeconds,
  floorTo,
  type Interval,
  isEmpty,
} from '../../domain/time/interval.ts';
import { inBatches } from '../fetch/in-batches.ts';
import type { SegmentKeys } from '../fetch/segment-keys.ts';
import type { KeyedColumn } from '../kernel/blocks/combine-blocks.ts';
import type { NetworkSteps } from '../kernel/blocks/network-steps.ts';
import { overlaps } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import { readStepBlocks, type StepRead } from './step-blocks.ts';
import type { SeriesPart } from './step-series.ts';

export type StepSizes = {
  /** Approximate number of readings in memory at once. */
  readonly readingsAtOnce: number;
  /** Maximum number of values, of all series and steps, in memory at once. */
  readonly valuesAtOnce: number;
};

export const STEP_SIZES: StepSizes = { readingsAtOnce: 8_000_000, valuesAtOnce: 4_000_000 };

/** A part of a read's interval. */
type Piece<Read> = { readonly of: Read; readonly interval: Interval; readonly readings: number };

/** step: the index of the block's step in the piece. */
type BlockOfPiece = KeyedColumn & { readonly step: number };

/** The blocks of a part of a read's interval. */
export type PieceRead<Read extends StepRead> = {
  readonly of: Read;
  readonly stepCount: number;
  /** The steps of the read that come before the piece. */
  readonly shift: number;
  readonly keys: SegmentKeys;
  readonly lists: readonly {
    readonly segment: ScopedSegment;
    readonly blocks: readonly BlockOfPiece[];
  }[];
};

type PiecesOptions<Read extends StepRead> = {
  readonly deadline: Deadline | null;
  readonly sizes: StepSizes;
  readonly add: (piece: PieceRead<Read>) => Promise<void>;
};

/**
 * Reads the blocks of each step, and passes them on. Data that do not fit into memory are read
 * piece by piece, in time order.
 */
export async function readInPieces<Read extends StepRead>(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  wanted: readonly Read[],
  { deadline, sizes, add }: PiecesOptions<Read>,
): Promise<void> {
  const pieces = wanted.flatMap((of) => piecesOf(of, live, sizes));
  for (const together of inBatches(pieces, sizes.readingsAtOnce)) {
    const reads = together.map(({ of, interval }) => ({
      ...of,
      read: { ...of.read, interval },
    }));
    const { keys, steps } = await readStepBlocks(reader, live, reads, deadline);
    for (const [i, { of, interval }] of together.entries()) {
      const { stepSeconds } = of;
      const start = floorTo(interval.from, stepSeconds);
      const lists = (steps[i] ?? []).map(({ segment, blocks }) => ({
        segment,
        blocks: blocks.flatMap(({ step, block: { ids, column } }) =>
          column ? [{ step: (step - start) / stepSeconds, ids, column }] : [],
        ),
      }));
      await add({
        of,
        stepCount: Math.ceil((interval.to - start) / stepSeconds),
        shift: (start - originOfSteps(of)) / stepSeconds,
        keys,
        lists,
      });
    }
  }
}

export const originOfSteps = ({ read, stepSeconds }: StepRead): EpochSeconds =>
  floorTo(read.interval.from, stepSeconds);

/** Divides the interval into parts of whole steps, each with about the maximum of readings. */
function piecesOf<Read extends StepRead>(
  of: Read,
  live: readonly ScopedSegment[],
  sizes: StepSizes,
): Piece<Read>[] {
  const { read, stepSeconds } = of;
  if (isEmpty(read.interval)) return [];
  const own = live.filter((segment) => overlaps(segment, read));
  const rows = own.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const origin = originOfSteps(of);
  const steps = Math.ceil((read.interval.to - origin) / stepSeconds);
  // A segment's rows are counted as if all of them were in the interval.
  const count = Math.min(steps, Math.ceil(rows / sizes.readingsAtOnce) || 1);
  const seconds = ceilTo((steps * stepSeconds) / count, stepSeconds);
  const pieces: Piece<Read>[] = [];
  for (let at = origin; at < read.interval.to; at += seconds) {
    const interval = {
      from: Math.max(at, read.interval.from),
      to: Math.min(at + seconds, read.interval.to),
    };
    pieces.push({ of, interval, readings: rows / count });
  }
  return pieces;
}

/** Returns the sums of a piece as a part of a series of the whole read. */
export const partOfPiece = ({ steps, column }: NetworkSteps, shift: number): SeriesPart => ({
  ids: steps,
  shift,
  columns: [column],
});
