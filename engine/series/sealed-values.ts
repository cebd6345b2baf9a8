import { createHash } from 'node:crypto';
import { isSealed } from '../../domain/slices/segment-level.ts';
import { floorTo } from '../../domain/time/interval.ts';
import type { SealedValues } from '../cache/segment-cache.ts';
import { appendColumns, plainColumns } from '../kernel/blocks/join-sparse.ts';
import { nameOfRead, overlaps } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { type SegmentReader, segmentName } from '../snapshot/segment-reader.ts';
import type { StepRead } from './step-blocks.ts';
import type { SeriesPart } from './step-series.ts';

/** Sealed segments whose values of a key are cached together. */
export type SealedSegments = {
  /** Identifies the segments and the meter. */
  readonly name: string;
  readonly segments: ReadonlySet<ScopedSegment>;
};

/** What the cache has of a key. */
export type KeyInSealed = {
  readonly of: SealedSegments;
  /** Name of the values in the cache. */
  readonly name: string;
  /** null: they are not cached. */
  readonly values: SealedValues | null;
};

/**
 * Caches the values that keys have in sealed segments, without their times: one look-up in place of
 * one for each segment. New data do not change these segments.
 */
export class SealedValueCache {
  readonly #reader: SegmentReader;
  readonly #live: readonly ScopedSegment[];
  /** By read. */
  readonly #segments = new Map<string, SealedSegments | null>();

  constructor(reader: SegmentReader, live: readonly ScopedSegment[]) {
    this.#reader = reader;
    this.#live = live;
  }

  /** null: values of this read are not cached. */
  find({ key, ...request }: StepRead & { readonly key: string | null }): KeyInSealed | null {
    const { read } = request;
    const readName = `${nameOfRead(read)} ${read.aggregate}`;
    const known = this.#segments.get(readName);
    const of = known === undefined ? sealedSegments(this.#reader, this.#live, request) : known;
    this.#segments.set(readName, of);
    if (of === null || key === null) return null;
    const name = `${of.name} ${key}`;
    return { of, name, values: this.#reader.memory.find('sealed', name) ?? null };
  }

  /** Caches a key's values. parts: all parts of its series. */
  keep({ of, name }: KeyInSealed, parts: readonly SeriesPart[]): void {
    // A key's peak and its percentiles are asked for together, and need the same values.
    if (this.#reader.memory.has('sealed', name)) return;
    const isInside = ({ segment }: SeriesPart): boolean =>
      segment !== undefined && of.segments.has(segment);
    const columns = plainColumns(parts.filter(isInside));
    if (columns === null) return;
    const numbers = appendColumns(columns).slice();
    this.#reader.memory.keep('sealed', name, { numbers, isSorted: false });
  }
}

/** Returns those of a read's segments whose values can be cached together; null: none. */
function sealedSegments(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  { group, read }: StepRead,
): SealedSegments | null {
  // A mean needs both its sum and its count.
  if (read.aggregate === 'mean') return null;
  const { topperBucketSeconds: size } = group.shape;
  const { from, to } = read.interval;
  // The window must not cut their topper buckets: what it leaves of these differs from window to
  // window, and is not read from series.
  const isWhole = ({ level, firstBucket, lastBucket }: ScopedSegment): boolean =>
    isSealed(level) && floorTo(firstBucket, size) >= from && floorTo(lastBucket, size) + size <= to;
  const own = live.filter((segment) => overlaps(segment, read));
  const segments = withoutShared(own, size).filter(isWhole);
  if (segments.length === 0) return null;
  // In full, the names of hundreds of segments would be long.
  const names = segments.map((segment) => segmentName(reader, segment)).join(' ');
  const digest = createHash('sha256').update(names).digest('base64');
  return { name: `${read.meterIndex} ${digest}`, segments: new Set(segments) };
}

/**
 * Leaves out segments that share a topper bucket with another, because their values there must be
 * added up or compared. Returns the others in the order of time.
 */
function withoutShared(segments: readonly ScopedSegment[], size: number): ScopedSegment[] {
  const ordered = segments.toSorted((a, b) => a.firstBucket - b.firstBucket);
  let lastBefore = Number.NEGATIVE_INFINITY;
  return ordered.filter(({ firstBucket, lastBucket }, i) => {
    const next = ordered[i + 1];
    const isApart =
      floorTo(firstBucket, size) > lastBefore &&
      (!next || floorTo(next.firstBucket, size) > floorTo(lastBucket, size));
    lastBefore = Math.max(lastBefore, floorTo(lastBucket, size));
    return isApart;
  });
}
