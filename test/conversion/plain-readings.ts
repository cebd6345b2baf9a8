import type { Connection } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import { type KeyCodec, keyCodecOf } from '../../segments/keys/key-codec.ts';
import { keyAt } from '../../segments/keys/key-list.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import { keyRows } from '../../segments/readings/readings.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { loadManifest, type StoredSegment } from '../../store/read/manifest.ts';
import { segmentRanges } from '../../store/read/segment-ranges.ts';
import { loadShapes } from '../../store/shapes/load-shapes.ts';
import { type PlainReading, readingAt } from '../segments/plain-segments.ts';

/** Exact readings: `slice group probe bucket slot key` → `value/count`. */
export type PlainReadings = Map<string, string>;

/** Reads the live segments of all contexts from their pages. */
export async function samplesInSegments(connection: Connection): Promise<PlainReadings> {
  const { rows } = await connection.query<{ id: number }>('select context_id as id from contexts');
  const found: PlainReadings = new Map();
  for (const { id } of rows) {
    const shapes = await loadShapes(connection, id);
    for (const segment of await liveSegments(connection, id)) {
      const shape = shapes.get(segment.groupId);
      if (!shape) throw new Error(`group ${segment.groupId} is not there`);
      await addSegment(found, {
        connection,
        segment,
        shape,
      });
    }
  }
  return found;
}

export async function liveSegments(
  connection: Connection,
  contextId: number,
): Promise<StoredSegment[]> {
  const manifest = await loadManifest(copiesOf(connection), { contextId });
  return [...(manifest?.segments.values() ?? [])];
}

type SegmentToAdd = {
  readonly connection: Connection;
  readonly segment: StoredSegment;
  readonly shape: SegmentShape;
};

async function addSegment(
  found: PlainReadings,
  { connection, segment, shape }: SegmentToAdd,
): Promise<void> {
  const { sliceId, groupId, probeId } = segment;
  const codec = keyCodecOf(shape);
  for await (const range of segmentRanges(copiesOf(connection), segment, { shape, codec })) {
    for (const { key, bucket, place, reading } of readingsOf(range, codec)) {
      const name = `${sliceId} ${groupId} ${probeId} ${bucket} ${place + 1} ${key}`;
      found.set(name, combined(found.get(name), reading, shape.aggregates[place] ?? null));
    }
  }
}

function* readingsOf({ keys, readings }: KeyRange, codec: KeyCodec) {
  for (let ordinal = 0; ordinal < keys.count; ordinal += 1) {
    const key = codec.decode(keyAt(keys, ordinal));
    const { from, to } = keyRows(readings, ordinal);
    for (let row = from; row < to; row += 1) {
      const bucket = readings.starts[row] as number;
      for (const [place, column] of readings.columns.entries()) {
        const reading = column && readingAt(column, row);
        if (reading) yield { key, bucket, place, reading };
      }
    }
  }
}

/** Combines the readings of one key and bucket from two segments, as in decision 23. */
export function combined(
  known: string | undefined,
  { value, count }: PlainReading,
  aggregate: Aggregate | null,
): string {
  const ownCount = aggregate === 'mean' ? count : 1n;
  if (known === undefined) return `${value}/${ownCount}`;
  const [before, countBefore] = known.split('/').map(BigInt);
  if (before === undefined || countBefore === undefined)
    throw new Error(`${known} is not a reading`);
  if (aggregate === 'max') return `${before > value ? before : value}/1`;
  if (aggregate === 'min') return `${before < value ? before : value}/1`;
  return `${before + value}/${aggregate === 'mean' ? countBefore + ownCount : 1}`;
}

/** Returns only the first differences: thousands would be unreadable. */
export function differences(found: PlainReadings, wanted: PlainReadings): string[] {
  const places = new Set([...found.keys(), ...wanted.keys()]);
  return [...places]
    .filter((place) => found.get(place) !== wanted.get(place))
    .slice(0, 5)
    .map((place) => `${place}: ${found.get(place)} instead of ${wanted.get(place)}`);
}
