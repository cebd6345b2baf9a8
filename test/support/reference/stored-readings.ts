import type { Connection } from '../../../db/connection/connection.ts';
import { withConnection } from '../../../db/connection/with-connection.ts';
import { copiesOf } from '../../../db/session/copy-source.ts';
import { laneValue } from '../../../segments/codes/lanes.ts';
import { keyCodecOf } from '../../../segments/keys/key-codec.ts';
import { keyAt } from '../../../segments/keys/key-list.ts';
import type { KeyRange } from '../../../segments/readings/key-range.ts';
import { keyRows } from '../../../segments/readings/readings.ts';
import { loadManifest } from '../../../store/read/manifest.ts';
import { segmentRanges } from '../../../store/read/segment-ranges.ts';
import { loadShapes } from '../../../store/shapes/load-shapes.ts';

/** What a segment holds for a key, bucket and meter. */
export type StoredReading = {
  /** The name of the group. */
  readonly group: string;
  readonly key: string;
  readonly probe: string | null;
  readonly sliceId: number;
  readonly segmentId: number;
  readonly bucket: number;
  readonly slot: number;
  readonly value: bigint;
  readonly count: bigint;
};

/** All readings of a context's live segments, in order of group, probe, key, bucket and slot. */
export const storedReadings = (databaseUrl: string, context = 'lab'): Promise<StoredReading[]> =>
  withConnection({ databaseUrl }, 'test', (client) => readAll(client, context));

/** The keys of a group in a context's live segments. */
export const storedKeys = (
  databaseUrl: string,
  context: string,
  group: string,
): Promise<Set<string>> =>
  withConnection({ databaseUrl }, 'test', async (client) => {
    const all = new Set<string>();
    for await (const { keys } of allRanges(client, context, group)) {
      for (const key of keys) all.add(key);
    }
    return all;
  });

async function readAll(client: Connection, context: string): Promise<StoredReading[]> {
  const all: StoredReading[] = [];
  for await (const { of, range, keys } of allRanges(client, context)) {
    for (const reading of readingsOf(range, keys)) all.push({ ...of, ...reading });
  }
  return all.sort(inOrder);
}

/** The key ranges of the live segments of one group, or of all, with their keys as text. */
async function* allRanges(client: Connection, context: string, only: string | null = null) {
  const contextId = await idOf(client, context);
  const manifest = await loadManifest(copiesOf(client), { contextId });
  const shapes = await loadShapes(client, contextId);
  const groups = await namesOf(client, 'select group_id as id, name from counter_groups');
  const probes = await namesOf(client, 'select probe_id as id, name from probes');
  for (const segment of manifest?.segments.values() ?? []) {
    const shape = shapes.get(segment.groupId);
    if (!shape) throw new Error('a segment is of a group of its context');
    if (only !== null && groups.get(segment.groupId) !== only) continue;
    const codec = keyCodecOf(shape);
    const of = {
      group: groups.get(segment.groupId) ?? '',
      probe: probes.get(segment.probeId) ?? null,
      sliceId: segment.sliceId,
      segmentId: segment.segmentId,
    };
    for await (const range of segmentRanges(copiesOf(client), segment, { shape, codec })) {
      const { keys: list } = range;
      const keys = Array.from({ length: list.count }, (_, i) => codec.decode(keyAt(list, i)));
      yield { of, range, keys };
    }
  }
}

async function idOf(client: Connection, context: string): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    'select context_id as id from contexts where name = $1',
    [context],
  );
  return rows[0]?.id ?? 0;
}

async function namesOf(client: Connection, text: string): Promise<Map<number, string>> {
  const { rows } = await client.query<{ id: number; name: string }>(text);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function* readingsOf({ readings }: KeyRange, keys: readonly string[]) {
  for (const [ordinal, key] of keys.entries()) {
    const { from, to } = keyRows(readings, ordinal);
    for (let row = from; row < to; row += 1) {
      const bucket = readings.starts[row] as number;
      for (const [meterIndex, column] of readings.columns.entries()) {
        if (!column || Number.isNaN(column.values.low[row])) continue;
        const value = laneValue(column.values, row);
        const count = column.counts === null ? 1n : laneValue(column.counts, row);
        yield { key, bucket, slot: meterIndex + 1, value, count };
      }
    }
  }
}

const inOrder = (a: StoredReading, b: StoredReading): number =>
  compare(a.group, b.group) ||
  compare(a.probe ?? '', b.probe ?? '') ||
  compare(a.key, b.key) ||
  a.bucket - b.bucket ||
  a.slot - b.slot ||
  a.segmentId - b.segmentId;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
