import { type EpochSeconds, floorTo } from '../../domain/time/interval.ts';
import { presentUntil } from '../../domain/time/newest-bucket.ts';
import { ReadingGatherer } from '../../segments/gather/reading-gatherer.ts';
import { type KeyCodec, keyCodecOf } from '../../segments/keys/key-codec.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { ownCopy } from '../bounded-cache.ts';
import type { ImportGroup } from '../import-group.ts';
import type { ImportKey } from '../import-key.ts';
import type { Whole } from '../whole.ts';

/** Readings of a group. `values` are by meter, each a sum of `count` readings. */
type BatchReading = {
  readonly group: ImportGroup;
  readonly probe: string | null;
  readonly bucket: EpochSeconds;
  readonly key: ImportKey;
  readonly values: readonly (Whole | null)[];
  readonly count: Whole;
};

/** The readings of one group and probe (null: none) in one slice, and the codec of their keys. */
export type GatheredSegment = {
  readonly group: ImportGroup;
  readonly codec: KeyCodec;
  readonly shape: SegmentShape;
  readonly probe: string | null;
  readonly sliceStart: EpochSeconds;
  readonly readings: ReadingGatherer;
  /** The first and the last bucket that have readings. */
  first: EpochSeconds;
  last: EpochSeconds;
  /** The latest bucket that is not ahead of the clock (decision 19). */
  readonly presentUntil: EpochSeconds;
  /** The newest bucket up to then that has readings. */
  lastPresent: EpochSeconds;
  /** The newest bucket after it that has readings, for each topper bucket. */
  readonly ahead: Map<EpochSeconds, EpochSeconds>;
};

export const shapeOf = (group: ImportGroup): SegmentShape => ({
  keyKind: group.keyKind,
  partKinds: group.keyKind === 'crosskey' ? group.partKinds : null,
  bucketSeconds: group.bucketSeconds,
  topperBucketSeconds: group.topperBucketSeconds,
  aggregates: group.aggregates,
});

/** Readings held in memory until they are written as segments, one for each GatheredSegment. */
export class SegmentBatch {
  readonly #sliceSeconds: number;
  readonly #now: EpochSeconds;
  readonly #segments = new Map<string, GatheredSegment>();
  readonly #codecs = new Map<number, { codec: KeyCodec; shape: SegmentShape }>();
  readonly #lastOfGroup = new Map<number, GatheredSegment>();
  /** Rows in memory, even if they are combined when they are written. */
  rowCount = 0;

  /** now: the database's clock. */
  constructor(sliceSeconds: number, now: EpochSeconds) {
    this.#sliceSeconds = sliceSeconds;
    this.#now = now;
  }

  /** Approximate size in bytes. */
  get sizeBytes(): number {
    let bytes = 0;
    for (const { readings } of this.#segments.values()) bytes += readings.sizeBytes;
    return bytes;
  }

  /** Returns the segment that readings of a group, probe and bucket belong to. Call `addRow` next. */
  segmentOf(group: ImportGroup, probe: string | null, bucket: EpochSeconds): GatheredSegment {
    // Most readings of a group have the same probe and slice as the previous one.
    const last = this.#lastOfGroup.get(group.groupId);
    if (last && last.probe === probe) {
      const intoSlice = bucket - last.sliceStart;
      if (intoSlice >= 0 && intoSlice < this.#sliceSeconds) return last;
    }
    const segment = this.#find(group, probe, floorTo(bucket, this.#sliceSeconds));
    this.#lastOfGroup.set(group.groupId, segment);
    return segment;
  }

  /** Adds a row for a key, given by its index in the segment's keys. Put its values next. */
  addRow(segment: GatheredSegment, bucket: EpochSeconds, keyIndex: number): number {
    this.rowCount += 1;
    if (bucket < segment.first) segment.first = bucket;
    if (bucket > segment.last) segment.last = bucket;
    if (bucket > segment.presentUntil) noteAhead(segment, bucket);
    else if (bucket > segment.lastPresent) segment.lastPresent = bucket;
    return segment.readings.addRow(bucket, keyIndex);
  }

  add({ group, probe, bucket, key, values, count }: BatchReading): void {
    const segment = this.segmentOf(group, probe, bucket);
    const { readings, codec } = segment;
    const row = this.addRow(segment, bucket, readings.keys.indexOf(codec.encode(key.text)));
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] ?? null;
      if (value === null) continue;
      readings.putValue(i, row, value);
      if (count !== 1) readings.putCount(i, row, count);
    }
  }

  /** Combines the rows of each key and bucket into one, to make room for more. */
  combine(): void {
    this.rowCount = 0;
    for (const { readings } of this.#segments.values()) {
      readings.combine();
      this.rowCount += readings.rowCount;
    }
  }

  segments(): GatheredSegment[] {
    return [...this.#segments.values()];
  }

  #find(group: ImportGroup, probe: string | null, sliceStart: EpochSeconds): GatheredSegment {
    const name = `${group.groupId} ${sliceStart} ${probe === null ? '' : `probe ${probe}`}`;
    const known = this.#segments.get(name);
    if (known) return known;
    const segment: GatheredSegment = {
      group,
      ...this.#formOf(group),
      // A copy, because a piece of the line it was read from would keep the line in memory.
      probe: probe === null ? null : ownCopy(probe),
      sliceStart,
      readings: new ReadingGatherer(this.#formOf(group).shape),
      first: Number.POSITIVE_INFINITY,
      last: Number.NEGATIVE_INFINITY,
      presentUntil: presentUntil(this.#now, group.topperBucketSeconds),
      lastPresent: Number.NEGATIVE_INFINITY,
      ahead: new Map(),
    };
    this.#segments.set(name, segment);
    return segment;
  }

  #formOf(group: ImportGroup): { codec: KeyCodec; shape: SegmentShape } {
    const known = this.#codecs.get(group.groupId);
    if (known) return known;
    const shape = shapeOf(group);
    const form = { shape, codec: keyCodecOf(shape) };
    this.#codecs.set(group.groupId, form);
    return form;
  }
}

function noteAhead({ ahead, group }: GatheredSegment, bucket: EpochSeconds): void {
  const topperBucket = floorTo(bucket, group.topperBucketSeconds);
  ahead.set(topperBucket, Math.max(bucket, ahead.get(topperBucket) ?? bucket));
}
