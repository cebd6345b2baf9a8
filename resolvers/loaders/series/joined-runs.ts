import { createHash } from 'node:crypto';
import { isSealed } from '../../../domain/slices/segment-level.ts';
import { floorTo } from '../../../domain/time/interval.ts';
import type { Fold } from '../../../domain/toppers/meter-type.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import { appendColumns, plainColumns } from '../../../topk/blocks/join-sparse.ts';
import type { JoinedValues } from '../memory/segment-memory.ts';
import { isOfRead } from '../plan/is-of-read.ts';
import { nameOfRead } from '../plan/meter-read.ts';
import { type SegmentReader, segmentName } from '../session/segment-reader.ts';
import { orderedValues, type TalliedValues, valuesBeside } from './ordered-values.ts';
import type { StepRead } from './step-blocks.ts';
import type { SeriesPart } from './step-series.ts';

/** Segments whose values of a key and meter are cached together. */
export type SegmentRun = {
  /** Identifies the segments and the meter. */
  readonly name: string;
  readonly segments: ReadonlySet<StoredSegment>;
};

/** A key's run, and its values if they are cached. */
export type SoughtRun = {
  readonly run: SegmentRun;
  /** Name of the values in the cache. */
  readonly name: string;
  readonly known: JoinedValues | null;
};

/**
 * The values of keys in runs, without their times. A run does not change while new readings arrive,
 * so the percentiles of a window that ends now need few look-ups, and look at few values. The
 * values are sorted when some are selected for the second time.
 */
export class JoinedRuns {
  readonly #reader: SegmentReader;
  readonly #live: readonly StoredSegment[];
  /** By read. */
  readonly #runs = new Map<string, SegmentRun | null>();

  constructor(reader: SegmentReader, live: readonly StoredSegment[]) {
    this.#reader = reader;
    this.#live = live;
  }

  /** null: no segments of the read form a run. */
  seek({ key, ...request }: StepRead & { readonly key: string | null }): SoughtRun | null {
    const { read } = request;
    const readName = `${nameOfRead(read)} ${read.fold}`;
    const known = this.#runs.get(readName);
    const run = known === undefined ? runOf(this.#reader, this.#live, request) : known;
    this.#runs.set(readName, run);
    if (run === null || key === null) return null;
    const name = `${run.name} ${key}`;
    return { run, name, known: this.#reader.memory.find('joined', name) ?? null };
  }

  /**
   * Returns the values of a key from all its parts, or from those outside its run if the values in
   * the run are cached. Caches these.
   */
  valuesOf(sought: SoughtRun | null, parts: readonly SeriesPart[], fold: Fold): TalliedValues {
    if (sought?.known) return valuesBeside(sought.known, parts, fold);
    if (sought) this.#keep(sought, parts);
    return orderedValues(parts, fold);
  }

  #keep({ run, name }: SoughtRun, parts: readonly SeriesPart[]): void {
    const isInside = ({ segment }: SeriesPart): boolean =>
      segment !== undefined && run.segments.has(segment);
    const columns = plainColumns(parts.filter(isInside));
    if (columns === null) return;
    const numbers = appendColumns(columns).slice();
    this.#reader.memory.keep('joined', name, { numbers, isSorted: false });
  }
}

/**
 * Returns the sealed segments that lie in the read's interval and share no topper bucket with other
 * segments of the read; null if there are none. A sealed segment stays as it is while new readings
 * arrive, and none of its values must be added to a value of another segment.
 */
function runOf(
  reader: SegmentReader,
  live: readonly StoredSegment[],
  { group: { shape }, read }: StepRead,
): SegmentRun | null {
  // A mean needs both its sum and its count.
  if (read.fold === 'mean') return null;
  const isWhole = ({ level, firstBucket, lastBucket }: StoredSegment): boolean =>
    isSealed(level) && firstBucket >= read.interval.from && lastBucket < read.interval.to;
  const own = live.filter((segment) => isOfRead(segment, read));
  const segments = separate(own, shape.topperBucketSeconds).filter(isWhole);
  if (segments.length === 0) return null;
  // In full, the names of hundreds of segments would be long.
  const names = segments.map((segment) => segmentName(reader, segment)).join(' ');
  const digest = createHash('sha256').update(names).digest('base64');
  return { name: `${read.slot} ${digest}`, segments: new Set(segments) };
}

/** Returns the segments that share no topper bucket with another, in the order of time. */
function separate(segments: readonly StoredSegment[], topperBucket: number): StoredSegment[] {
  const ordered = segments.toSorted((a, b) => a.firstBucket - b.firstBucket);
  let last = Number.NEGATIVE_INFINITY;
  return ordered.filter(({ firstBucket, lastBucket }, i) => {
    const first = floorTo(firstBucket, topperBucket);
    const isAfter = first > last;
    last = Math.max(last, floorTo(lastBucket, topperBucket));
    const next = ordered[i + 1];
    return isAfter && (!next || floorTo(next.firstBucket, topperBucket) > last);
  });
}
