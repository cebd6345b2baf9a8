import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenConnection, openConnection } from '../../../db/connection/connection.ts';
import {
  distributeTables,
  type MoveOptions,
  type MoveProgress,
  selectClusterNodes,
  selectShardCount,
  undistributeTables,
} from '../../../db/sql/distribute.ts';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import { doWorkersAnswer } from '../../../db/sql/remove-partitions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { isOnCluster } from '../../support/database/on-cluster.ts';

let database: TestDatabase;
let connection: OpenConnection;

beforeAll(async () => {
  database = await createTestDatabase();
  connection = await openConnection(database.url, 'test');
});

afterAll(async () => {
  await connection.end();
  await database.drop();
});

const rowsOf = async <Row extends object>(text: string): Promise<Row[]> =>
  (await connection.query<Row>(text)).rows;

/**
 * What Citus does with these tables is tested in test/citus/distribute.test.ts. Here, stand-ins for
 * its functions and tables record the calls, and send its notices.
 */
describe.skipIf(isOnCluster)('with stand-ins for Citus', () => {
  beforeAll(async () => {
    await ensurePagePartition(connection, { table: 'sealed_segment_pages', sliceId: 1 });
    await ensurePagePartition(connection, {
      table: 'open_segment_pages',
      sliceId: 1,
      generation: 20,
    });
    await connection.query(STAND_INS);
  });

  beforeEach(async () => {
    await connection.query('begin');
  });

  afterEach(async () => {
    await connection.query('rollback');
  });

  const calls = async () =>
    (await rowsOf<{ call: string }>('select call from calls order by place')).map(
      ({ call }) => call,
    );

  const PARTITIONS = [
    { name: 'sealed_segment_pages_1', bytes: 500 },
    { name: 'open_segment_pages_1_20', bytes: 70 },
  ];

  it('distributes both tables together, and empties the local ones', async () => {
    await distributeTables(connection, 6, { partitions: PARTITIONS });
    expect(await calls()).toEqual([
      'distribute open_segment_pages by segment_id, 6 shards, with none',
      'distribute sealed_segment_pages by segment_id, no shards, with open_segment_pages',
      'truncate open_segment_pages',
      'truncate sealed_segment_pages',
    ]);
  });

  it('empties them once earlier readers are done, and says that it waits', async () => {
    await connection.query(`create or replace function
      truncate_local_data_after_distributing_table(name regclass) returns void language plpgsql
      as $body$ begin execute format('lock table %s in access exclusive mode', name); end $body$`);
    const reader = await openConnection(database.url, 'test');
    await reader.query('begin');
    await reader.query('select from sealed_segment_pages');
    let waited = 0;
    const distributing = distributeTables(connection, 6, {
      partitions: PARTITIONS,
      onReaders() {
        waited += 1;
        void reader.end();
      },
    });
    await distributing;
    expect(waited).toBe(1);
  });

  it.each(['55P03', '40P01'])('stops waiting for readers if it is aborted: %s', async (code) => {
    await connection.query(`create or replace function
      truncate_local_data_after_distributing_table(name regclass) returns void language plpgsql
      as $body$ begin raise exception using errcode = '${code}'; end $body$`);
    const stop = new AbortController();
    const distributing = distributeTables(connection, 6, {
      partitions: PARTITIONS,
      signal: stop.signal,
      onReaders: () => stop.abort(new Error('enough')),
    });
    await expect(distributing).rejects.toThrow('enough');
  });

  it('undistributes both tables, and sets again what open partitions lose by it', async () => {
    const unvacuumed = () =>
      rowsOf(
        `select relname as name from pg_class where reloptions @> '{autovacuum_enabled=false}'`,
      );
    await connection.query('alter table open_segment_pages_1_20 reset (autovacuum_enabled)');
    expect(await unvacuumed()).toEqual([]);
    await undistributeTables(connection, { partitions: PARTITIONS });
    expect(await calls()).toEqual([
      'undistribute open_segment_pages',
      'undistribute sealed_segment_pages',
    ]);
    expect(await unvacuumed()).toEqual([{ name: 'open_segment_pages_1_20' }]);
  });

  it.each([
    ['distributing', (options: MoveOptions) => distributeTables(connection, 6, options)],
    ['undistributing', (options: MoveOptions) => undistributeTables(connection, options)],
  ])('reports the progress of %s, partition by partition', async (_, move) => {
    const told: MoveProgress[] = [];
    await move({
      partitions: PARTITIONS,
      onProgress: (progress) => told.push(progress),
    });
    expect(told).toEqual([
      { bytes: 70, of: 570 },
      { bytes: 570, of: 570 },
    ]);
    expect(connection.listenerCount('notice')).toBe(0);
  });

  it('stops listening if it fails', async () => {
    await connection.query('drop function undistribute_table');
    await expect(undistributeTables(connection, { partitions: PARTITIONS })).rejects.toThrow(
      'undistribute_table',
    );
    expect(connection.listenerCount('notice')).toBe(0);
  });

  it('counts the shards of one table, and null if the pages are not distributed', async () => {
    await connection.query("insert into pg_dist_shard values ('contexts')");
    expect(await selectShardCount(connection)).toBeNull();
    await connection.query(
      `insert into pg_dist_shard select 'open_segment_pages' from generate_series(1, 3);
       insert into pg_dist_shard select 'sealed_segment_pages' from generate_series(1, 3)`,
    );
    expect(await selectShardCount(connection)).toBe(3);
  });

  it('counts the active workers that take shards', async () => {
    const coordinator = { isCoordinator: true, coordinatorHasShards: false };
    expect(await selectClusterNodes(connection)).toEqual({ workers: 0, ...coordinator });
    await connection.query(
      `insert into pg_dist_local_group values (0);
       insert into pg_dist_node values (0, 'primary', true, false), (1, 'primary', true, true),
         (2, 'primary', true, true), (2, 'secondary', true, true), (3, 'primary', false, true),
         (4, 'primary', true, false)`,
    );
    expect(await selectClusterNodes(connection)).toEqual({ workers: 2, ...coordinator });
  });

  it('asks each active worker that has shards whether it answers, also while it is drained', async () => {
    expect(await doWorkersAnswer(connection)).toBe(true);
    await connection.query(
      `insert into pg_dist_node values (0, 'primary', true, false, 'stopped'),
         (1, 'primary', true, true, 'worker'), (2, 'primary', false, true, 'stopped'),
         (3, 'primary', true, false, 'stopped');
       insert into pg_dist_placement values (1, 1), (2, 2)`,
    );
    expect(await doWorkersAnswer(connection)).toBe(true);
    await connection.query('insert into pg_dist_placement values (3, 3)');
    expect(await doWorkersAnswer(connection)).toBe(false);
  });

  it('knows a worker, and a coordinator with shards of its own', async () => {
    await connection.query(
      `insert into pg_dist_local_group values (1);
       insert into pg_dist_node values (0, 'primary', true, true), (1, 'primary', true, true)`,
    );
    expect(await selectClusterNodes(connection)).toEqual({
      isCoordinator: false,
      coordinatorHasShards: true,
      workers: 1,
    });
  });
});

const STAND_INS = `
  create table calls (place serial, call text);
  create table pg_dist_shard (logicalrelid regclass);
  create table pg_dist_placement (shardid int, groupid int);
  create table pg_dist_local_group (groupid int);
  create table pg_dist_node (groupid int, noderole text, isactive bool, shouldhaveshards bool,
    nodename text default 'worker', nodeport int default 5432);

  create function citus_check_connection_to_node(host text, port int) returns bool
  language sql as $body$ select host <> 'stopped' $body$;

  create function create_distributed_table(name regclass, key text, shard_count int default null,
    colocate_with text default 'default') returns void language plpgsql as $body$
  declare partition regclass;
  begin
    insert into calls (call) values (format('distribute %s by %s, %s shards, with %s', name, key,
      coalesce(shard_count::text, 'no'), colocate_with));
    for partition in select inhrelid::regclass from pg_inherits where inhparent = name loop
      raise notice 'Copying data from local table...';
      raise notice 'copying the data has completed' using hint = format(
        'run: SELECT truncate_local_data_after_distributing_table($$public.%s$$)', partition);
    end loop;
  end $body$;

  create function truncate_local_data_after_distributing_table(name regclass) returns void
  language sql as $body$ insert into calls (call) values (format('truncate %s', name)) $body$;

  create function undistribute_table(name regclass) returns void language plpgsql as $body$
  declare partition regclass;
  begin
    insert into calls (call) values (format('undistribute %s', name));
    for partition in select inhrelid::regclass from pg_inherits where inhparent = name loop
      raise notice 'creating a new table for public.%', partition;
      raise notice 'dropping the old public.%', partition;
    end loop;
    raise notice 'dropping the old public.%', name;
  end $body$`;
