import type pg from 'pg';
import { type OpenConnection, openConnection } from '../../../../db/connection/connection.ts';
import { migrate } from '../../../../db/migrate.ts';
import {
  cloneDatabase,
  createEmptyDatabase,
  type TestDatabase,
} from '../../../support/database/database.ts';
import { guidOf } from '../../../support/lab/lab.ts';

/** A database with the newest schema, which still has the tables of version 0.7, empty. */
export async function createOldDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await migrate(database.url);
  return database;
}

export type OldDatabase = Awaited<ReturnType<typeof openOldClone>>;

/** A slice of a day. day: since the epoch. */
export type OldSliceToAdd = {
  readonly contextId: number;
  readonly day: number;
  readonly engine?: number;
  /** 'by hand': nobody knows where its samples are. */
  readonly archived?: 'to a file' | 'by hand';
};

/** Opens a clone of such a database, with a connection that fills and inspects it. */
export async function openOldClone(template: TestDatabase) {
  const database = await cloneDatabase(template);
  const connection = await openConnection(database.url, 'test');
  const others: OpenConnection[] = [];

  const rows = async <Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => (await connection.query<Row>(text, [...values])).rows;

  const addedId = async (text: string, values: readonly unknown[]): Promise<number> =>
    (await rows<{ id: number }>(text, values))[0]?.id ?? 0;

  return {
    connection,
    rows,
    async openAnother(): Promise<OpenConnection> {
      const another = await openConnection(database.url, 'test');
      others.push(another);
      return another;
    },
    /** Returns the number of connections that wait for a lock in this database. */
    async waiting(): Promise<number> {
      const [found] = await rows<{ count: number }>(
        `select count(distinct pid)::int as count from pg_stat_activity join pg_locks using (pid)
         where datname = current_database() and not granted`,
      );
      return found?.count ?? 0;
    },
    addContext: (name: string): Promise<number> =>
      addedId(
        `with added as (insert into contexts (name) values ($1) returning context_id),
           engine as (insert into engines select context_id, instance
             from added, generate_series(0, 1) as instance),
           pool as (insert into pools (context_id, name) select context_id, 'cold' from added)
         select context_id as id from added`,
        [name],
      ),
    addGroup: (contextId: number, n: number): Promise<number> =>
      addedId(
        `insert into counter_groups (context_id, guid, name, key_kind, bucket_size,
           topper_bucket_size, sampling_rate, enabled, shard_count)
         values ($1, $2, 'Hosts', 'text', 60, 300, 1, true, 1) returning group_id as id`,
        [contextId, guidOf(n)],
      ),
    addSlice: ({ contextId, day, engine = 0, archived }: OldSliceToAdd): Promise<number> =>
      addedId(
        archived === 'to a file' ? ADD_FILED_SLICE : ADD_SLICE,
        archived === 'to a file'
          ? [contextId, engine, day]
          : [contextId, engine, day, archived !== undefined],
      ),
    /** Creates the partition of a slice, with samples of this many keys. */
    addPartition: async (sliceId: number, samples = 0): Promise<void> => {
      const name = `samples_${sliceId}`;
      await connection.query(
        `create table ${name} partition of samples for values in (${sliceId})`,
      );
      await connection.query(
        `insert into ${name} (group_id, bucket, shard, key_id, probe_id, slice_id, readings)
         select 1, 60, 0, n, 0, ${sliceId}, '{1}' from generate_series(1, ${samples}) as n`,
      );
    },
    async close(): Promise<void> {
      for (const each of [connection, ...others]) await each.end();
      await database.drop();
    },
  };
}

const ADD_SLICE = `
  insert into slices (context_id, engine, starts_at, ends_at, archived)
  values ($1, $2, 86400 * $3::int, 86400 * ($3 + 1), $4) returning slice_id as id`;

const ADD_FILED_SLICE = `
  insert into slices (context_id, engine, starts_at, ends_at, archived, archive_digest,
    archive_pool, archive_path, archive_bytes, archive_rows, archived_at)
  values ($1, $2, 86400 * $3::int, 86400 * ($3 + 1), true, sha256('file'), 'cold', 'file', 4, 1,
    now())
  returning slice_id as id`;
