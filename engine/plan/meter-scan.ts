import { lengthsName, type NetworkLengths } from '../../domain/filters/network-lengths.ts';
import type { Interval } from '../../domain/time/interval.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';

/** One meter of one group to read over one interval, of one probe or (null) of all. */
export type MeterScan = {
  readonly groupId: number;
  readonly bucketSeconds: number;
  readonly meterIndex: number;
  readonly aggregate: Aggregate;
  readonly probeId: number | null;
  readonly interval: Interval;
  /** Reads the networks that contain the keys in place of the keys; null: the keys. */
  readonly prefix: NetworkLengths | null;
};

/** Returns a name that identifies a read: reads of the same name read the same. */
export function nameOfRead({ groupId, meterIndex, probeId, interval, prefix }: MeterScan): string {
  const read = `${groupId} ${meterIndex} ${probeId} ${interval.from} ${interval.to}`;
  return prefix ? `${read} ${lengthsName(prefix)}` : read;
}

/** Whether a segment is of the read's group and probe and has buckets in its interval. */
export function overlaps(
  { groupId, probeId, firstBucket, lastBucket }: StoredSegment,
  read: MeterScan,
): boolean {
  if (groupId !== read.groupId) return false;
  if (read.probeId !== null && probeId !== read.probeId) return false;
  return lastBucket >= read.interval.from && firstBucket < read.interval.to;
}
