import type pg from 'pg';
import { type Connection, inTransaction, openConnection } from '../../db/connection/connection.ts';
import { pagePartitionName, pagePartitionOf } from '../../db/page-tables.ts';
import { type CopySource, copiesOf } from '../../db/session/copy-source.ts';
import { ensurePagePartition } from '../../db/sql/page-partitions.ts';
import { type Publication, publishSegments } from '../../store/publish/publish-segments.ts';
import { loadManifest, type Manifest } from '../../store/read/manifest.ts';
import { segmentRanges } from '../../store/read/segment-ranges.ts';
import { type WrittenSegment, writeSegment } from '../../store/write/write-segment.ts';
import {
  CODEC,
  gather,
  type PlainSample,
  type PlainTable,
  SHAPE,
  SMALL,
  spanOf,
  tableOfRange,
} from '../segments/plain-segments.ts';
import { createTestDatabase } from '../support/database/database.ts';

/** 2025-07-15T00:00:00Z, when the first slice of the tests begins. */
export const DAY_START = 1_752_537_600;
export const DAY = 86_400;

export type StoreLab = Awaited<ReturnType<typeof openStoreLab>>;

/** Meters whose aggregates are those of SHAPE: sum, mean, none, max, min, rate. */
const METER_TYPES = [2, 5, 0, 11, 12, 1];

const DECLARATION = `
  insert into contexts (name) values ('lab'), ('other');
  insert into engines (context_id, instance) values (1, 0), (2, 0);
  insert into counter_groups (context_id, guid, name, key_kind, bucket_size, topper_bucket_size,
    sampling_rate, enabled)
  select context_id, gen_random_uuid(), 'hosts', 'ip', 60, 300, 1, true
  from contexts order by context_id;
  insert into meters (group_id, meter_id, slot, type, topcount, name, description, units)
  select group_id, meter_index, meter_index + 1, type, 100, 'meter', '', ''
  from counter_groups, unnest('{${METER_TYPES}}'::int[]) with ordinality as m(type, slot),
    lateral (select (slot - 1)::int as meter_index) p;
  insert into slices (context_id, engine, starts_at, ends_at)
  select 1, 0, at, at + ${DAY} from generate_series(${DAY_START}, ${DAY_START + 9 * DAY}, ${DAY}) at
`;

/** Where a segment of the lab goes unless a test says otherwise. */
export const SCOPE = { groupId: 1, probeId: 0, sliceId: 1, level: 0, importedAt: DAY_START };

/** The partition of open pages imported into this slice at this time. */
export const openPartition = (sliceId: number, importedAt = DAY_START): string =>
  pagePartitionName(pagePartitionOf({ ...SCOPE, sliceId, importedAt }));

export type SegmentToWrite = {
  readonly list: readonly PlainSample[];
  readonly scope?: Partial<typeof SCOPE>;
};

/**
 * A database whose context 1 has a group 1 of the shape of test/segments and the slices 1 to 10,
 * which are consecutive days; and one connection each for an importer and a reader.
 */
export async function openStoreLab() {
  const database = await createTestDatabase();
  const opened: pg.Client[] = [];
  const open = async (name = 'test') => {
    const connection = await openConnection(database.url, name);
    opened.push(connection);
    return connection;
  };
  const importer = await open();
  const reader = await open();
  await importer.query(DECLARATION);

  const manifest = async (since?: Manifest, from: Connection = reader): Promise<Manifest> => {
    const loaded = await loadManifest(copiesOf(from), { contextId: 1, since });
    if (!loaded) throw new Error('the context is there');
    return loaded;
  };

  return {
    databaseUrl: database.url,
    importer,
    reader,
    open,
    manifest,
    /** The readings of all live segments, read from their pages. */
    async table(from: Connection = reader): Promise<PlainTable> {
      return tableOf(copiesOf(from), await manifest(undefined, from));
    },
    async rows<R extends pg.QueryResultRow>(text: string): Promise<R[]> {
      return (await reader.query<R>(text)).rows;
    },
    async close(): Promise<void> {
      for (const connection of opened) await connection.end();
      await database.drop();
    },
  };
}

/** Writes a segment in the open transaction; its partition must exist. */
export const writeList = (
  connection: Connection,
  { list, scope }: SegmentToWrite,
): Promise<WrittenSegment> =>
  writeSegment(
    connection,
    { ...SCOPE, ...scope },
    {
      shape: SHAPE,
      codec: CODEC,
      span: spanOf(list),
      ranges: gather(list).ranges(SMALL),
    },
  );

/** Publishes in the open transaction; by default, no segments are added or removed. */
export const publish = (connection: Connection, change: Partial<Publication>) =>
  publishSegments(connection, {
    contextId: 1,
    changes: 'data',
    added: [],
    removed: [],
    at: DAY_START,
    ...change,
  });

/** Imports lists as segments in one transaction; returns the segments. */
export async function importLists(
  connection: Connection,
  toWrite: readonly SegmentToWrite[],
  at = DAY_START,
): Promise<WrittenSegment[]> {
  for (const { scope } of toWrite) {
    await ensurePagePartition(connection, pagePartitionOf({ ...SCOPE, importedAt: at, ...scope }));
  }
  return inTransaction(connection, async () => {
    const added: WrittenSegment[] = [];
    for (const each of toWrite) {
      const scope = { importedAt: at, ...each.scope };
      added.push(await writeList(connection, { ...each, scope }));
    }
    await publish(connection, { added, at });
    return added;
  });
}

/** The readings of all live segments; fails if two of them have the same key and bucket. */
export async function tableOf(source: CopySource, { segments }: Manifest): Promise<PlainTable> {
  const table: PlainTable = new Map();
  for (const segment of segments.values()) {
    for await (const range of segmentRanges(source, segment, { shape: SHAPE, codec: CODEC })) {
      for (const [at, reading] of tableOfRange(range)) {
        const name = `${segment.groupId} ${segment.probeId} ${at}`;
        if (table.has(name)) throw new Error(`${name} is in two segments`);
        table.set(name, reading);
      }
    }
  }
  return table;
}

/** A sample that has a value of the first meter only. */
export const sample = (host: number, bucket: number, value: number): PlainSample => ({
  key: `C0.A8.01.${host.toString(16).toUpperCase().padStart(2, '0')}`,
  bucket,
  readings: [{ value: BigInt(value), count: 1n }, null, null, null, null, null],
});

/** One sample of each of some hosts, in a minute counted from the start of the first slice. */
export const minute = (number: number, hosts = 5): PlainSample[] =>
  Array.from({ length: hosts }, (_, host) =>
    sample((host * 3 + number) % 200, DAY_START + 60 * number, number * 10 + host),
  );
