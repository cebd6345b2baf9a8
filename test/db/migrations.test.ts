import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  expectedSchemaVersion,
  MIGRATIONS_TABLE,
  migrate,
  requireMigrated,
  schemaVersion,
  unfitness,
} from '../../db/migrate.ts';
import { projectRoot } from '../../db/project-root.ts';
import {
  createTestDatabase,
  databaseUrl,
  dropDatabase,
  makeReady,
  type TestDatabase,
  withClient,
} from '../support/database/database.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';
import { dumpSchema } from '../support/database/schema-dump.ts';

const DUMP = join(projectRoot(), 'migrations', 'schema.dump.txt');

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const rowsOf = <R extends object>(sql: string): Promise<R[]> =>
  withClient(database.url, async (client) => (await client.query<R>(sql)).rows);

/** Runs `work` on a database that was never migrated. */
async function withEmptyDatabase<T>(
  options: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const admin = inject('adminUrl');
  const name = `${inject('templateDatabase')}_empty`;
  await withClient(admin, (client) =>
    client.query(`create database ${name} template template0 ${options}`),
  );
  try {
    return await work(databaseUrl(admin, name));
  } finally {
    await dropDatabase(admin, name);
  }
}

/** Creates the partition of a slice as version 0.7 did. */
const createPartition = (client: pg.Client, sliceId: number) =>
  client.query(
    `create table samples_${sliceId} (like samples including all);
     alter table samples attach partition samples_${sliceId} for values in (${sliceId})`,
  );

const columnsOf = (indexdef: string) => indexdef.slice(indexdef.indexOf('('));

async function writeMigrations(name: string, files: Record<string, string>): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  for (const [file, sql] of Object.entries(files)) {
    await writeFile(join(path, file), sql);
  }
  return path;
}

describe('the migrated schema', () => {
  test.skipIf(isOnCluster)(
    'equals migrations/schema.dump.txt (UPDATE_DUMPS=1 rewrites it)',
    async () => {
      const dump = await withClient(database.url, dumpSchema);
      if (process.env['UPDATE_DUMPS'] === '1') {
        await writeFile(DUMP, dump);
      }
      expect(dump).toBe(await readFile(DUMP, 'utf8'));
    },
  );
});

describe('the layout of storage', () => {
  test('partitions only pages, in one level, by slice and open ones also by generation', async () => {
    const partitioned = await rowsOf(
      `select c.relname, pg_get_partkeydef(c.oid) as key, c.relispartition
         from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'p'
        order by c.relname`,
    );
    expect(partitioned).toEqual(
      [
        ['open_segment_pages', 'RANGE (slice_id, generation)'],
        ['sealed_segment_pages', 'LIST (slice_id)'],
      ].map(([relname, key]) => ({ relname, key, relispartition: false })),
    );
  });
});

describe('the migration that gives open pages generations', () => {
  /** Segments of two slices, one of them sealed. */
  const SEGMENTS = `
    insert into contexts (name) values ('lab');
    insert into counter_groups (context_id, guid, name, key_kind, bucket_size, topper_bucket_size,
      sampling_rate, enabled, shard_count)
    values (1, gen_random_uuid(), 'hosts', 'ip', 60, 300, 1, true, 1);
    insert into segments (segment_id, context_id, group_id, probe_id, slice_id, level, first_bucket,
      last_bucket, key_count, row_count, page_count, size_bytes, directory, imported_at, born)
    select id, 1, 1, 0, slice, level, 0, 0, 1, 1, 1, 1, '', to_timestamp(7200 * 5 + at), 1
    from (values (1, 1, 0, 0), (2, 1, 1, 7199), (3, 1, 0, 7200), (4, 2, 0, 0), (5, 2, 100, 0))
      as s(id, slice, level, at);
    create table open_segment_pages_1 partition of open_segment_pages for values in (1);
    create table open_segment_pages_2 partition of open_segment_pages for values in (2);
    insert into open_segment_pages
    select slice_id, segment_id, 0, convert_to('page of ' || segment_id, 'UTF8') from segments
    where level < 100`;

  test('moves the existing ones', async () => {
    const all = (await readdir(join(projectRoot(), 'migrations'))).filter((name) => name < '012');
    const files = all.map(async (name) => [
      name,
      await readFile(join(projectRoot(), 'migrations', name), 'utf8'),
    ]);
    const before = await writeMigrations('before', Object.fromEntries(await Promise.all(files)));
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      await migrate(url, before);
      await withClient(url, (client) => client.query(SEGMENTS));
      await migrate(url);
      const { rows } = await withClient(url, (client) =>
        client.query<{ name: string; page: string }>(
          `select p.tableoid::regclass::text as name, convert_from(bytes, 'UTF8') as page
           from open_segment_pages p order by segment_id`,
        ),
      );
      expect(rows).toEqual([
        { name: 'open_segment_pages_1_5', page: 'page of 1' },
        { name: 'open_segment_pages_1_5', page: 'page of 2' },
        { name: 'open_segment_pages_1_6', page: 'page of 3' },
        { name: 'open_segment_pages_2_5', page: 'page of 4' },
      ]);
    });
  });
});

describe('a database that commands make ready', () => {
  const tables = async (url: string) =>
    (
      await withClient(url, (client) =>
        client.query<{ name: string }>(
          `select relname as name from pg_class
           where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`,
        ),
      )
    ).rows.map(({ name }) => name);

  test('has none of the tables of version 0.7, even if they were always empty', async () => {
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      await migrate(url);
      const old = ['samples', 'keys', 'topper_blocks', 'key_series', 'converted_slices'];
      expect(await tables(url)).toEqual(expect.arrayContaining(old));
      await makeReady(url);
      const left = await tables(url);
      expect(left).toEqual(expect.arrayContaining(['segments', 'key_texts']));
      expect(left.filter((name) => old.includes(name))).toEqual([]);
      await makeReady(url);
      expect(await tables(url)).toEqual(left);
    });
  });

  test('is made ready once if several processes start at the same time', async () => {
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      await Promise.all([makeReady(url), makeReady(url), makeReady(url)]);
      expect(await tables(url)).not.toContain('samples');
    });
  });
});

describe('migrating', () => {
  test('brings an empty database to the newest version, and then does nothing', async () => {
    const newest = await expectedSchemaVersion();
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      expect(await withClient(url, schemaVersion)).toBe('none');
      const first = await migrate(url);
      expect(first).toMatchObject({ from: 'none', to: newest });
      expect(first.applied.at(-1)).toBe(newest);
      expect(await migrate(url)).toEqual({ from: newest, to: newest, applied: [] });
      expect(await withClient(url, schemaVersion)).toBe(newest);
    });
  });

  test('happens once if two processes start it at the same time', async () => {
    const newest = await expectedSchemaVersion();
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      const both = await Promise.all([migrate(url), migrate(url)]);
      expect(both.map(({ from }) => from).sort()).toEqual([newest, 'none'].sort());
      expect(both.map(({ to }) => to)).toEqual([newest, newest]);
    });
  });

  test('refuses a database that a newer version of the program migrated', async () => {
    const newer = await createTestDatabase();
    try {
      await withClient(newer.url, (client) =>
        client.query(`insert into ${MIGRATIONS_TABLE} (name, run_on) values ('999_later', now())`),
      );
      await expect(migrate(newer.url)).rejects.toThrow(
        'The database is newer than this program, which does not know 999_later: ' +
          'install the version of countergraph that migrated it, or a newer one',
      );
    } finally {
      await newer.drop();
    }
  });

  test('keeps what succeeded, undoes the migration that failed, and names it', async () => {
    const migrations = await writeMigrations('failing', {
      '001_good.sql': 'create table good ();',
      '002_bad.sql': 'create table bad (); select 1 / 0;',
      '003_never.sql': 'create table never ();',
      'schema.dump.txt': 'not a migration',
    });
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      await expect(migrate(url, migrations)).rejects.toThrow(
        'Migration 002_bad failed and changed nothing: division by zero',
      );
      await withClient(url, async (client) => {
        expect(await schemaVersion(client)).toBe('001_good');
        const { rows } = await client.query(
          `select relname from pg_class where relname in ('good', 'bad', 'never')`,
        );
        expect(rows).toEqual([{ relname: 'good' }]);
      });
      await writeFile(join(migrations, '002_bad.sql'), 'create table bad ();');
      expect(await migrate(url, migrations)).toEqual({
        from: '001_good',
        to: '003_never',
        applied: ['002_bad', '003_never'],
      });
    });
  });

  test('gives existing partitions the index of samples, and keeps their rows', async () => {
    const core = await readFile(join(projectRoot(), 'migrations', '001_core.sql'), 'utf8');
    const before = await writeMigrations('core', { '001_core.sql': core });
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      await migrate(url, before);
      await withClient(url, async (client) => {
        await createPartition(client, 1);
        await client.query(`insert into samples values (7, 60, 1, 2, 0, 5, 1, '{3}', null)`);
      });
      await migrate(url);
      await withClient(url, async (client) => {
        await createPartition(client, 2);
        await client.query(`insert into samples values (7, 60, 1, 2, 0, 2, '{4}', '{5}')`);
        const { rows } = await client.query('select * from samples order by slice_id');
        const row = { group_id: 7, bucket: '60', shard: 1, key_id: 2, probe_id: 0 };
        expect(rows).toEqual([
          { ...row, slice_id: 1, readings: ['3'], counts: null },
          { ...row, slice_id: 2, readings: ['4'], counts: ['5'] },
        ]);
        const indexes = await client.query(
          `select tablename, indexdef from pg_indexes where tablename like 'samples%' order by 1`,
        );
        expect(
          indexes.rows.map(({ tablename, indexdef }) => [tablename, columnsOf(indexdef)]),
        ).toEqual(
          ['samples', 'samples_1', 'samples_2'].map((table) => [table, '(group_id, bucket)']),
        );
      });
    });
  });

  test('refuses a database whose encoding is not UTF8', async () => {
    await withEmptyDatabase(
      "encoding 'SQL_ASCII' locale_provider 'libc' locale 'C'",
      async (url) => {
        await expect(migrate(url)).rejects.toThrow(
          "The database's encoding must be UTF8, it is SQL_ASCII: create one with encoding 'UTF8'",
        );
      },
    );
  });

  test('says so if the tables are in no schema of search_path', async () => {
    const hidden = new URL(database.url);
    hidden.searchParams.set('options', '-c search_path=pg_catalog');
    await expect(migrate(hidden.href)).rejects.toThrow(
      /^The search_path of role \w+ must contain the schema of the tables, public, it is pg_catalog: /,
    );
  });

  test.each([
    ['pg_catalog', 'pg_catalog'],
    ['nowhere', '(none in search_path)'],
  ])('needs a schema in which it may create tables (%s)', async (path, told) => {
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      const limited = new URL(url);
      limited.searchParams.set('options', `-c search_path=${path} -c role=pg_read_all_data`);
      await expect(migrate(limited.href)).rejects.toThrow(
        `Role pg_read_all_data must be allowed to create tables in schema ${told} of database`,
      );
    });
  });

  test.each(['"Own schema",public', '"Own schema"'])(
    'needs only the first schema of search_path, and leaves nothing in public (%s)',
    async (path) => {
      await withEmptyDatabase("encoding 'UTF8'", async (url) => {
        await withClient(url, (client) =>
          client.query('create schema "Own schema"; revoke all on schema public from public'),
        );
        const address = new URL(url);
        address.searchParams.set('options', `-c search_path=${path.replaceAll(' ', '\\ ')}`);
        const own = address.href.replaceAll('+', '%20');
        expect((await migrate(own)).from).toBe('none');
        expect(await migrate(own)).toMatchObject({ applied: [] });
        const { rows } = await withClient(url, (client) =>
          client.query(
            `select distinct nspname, to_regclass('public.${MIGRATIONS_TABLE}') as left
             from pg_class join pg_namespace n on n.oid = relnamespace
             where nspname !~ '^pg_|^information_schema$'`,
          ),
        );
        expect(rows).toEqual([{ nspname: 'Own schema', left: null }]);
      });
    },
  );

  test('can be required to have happened', async () => {
    await expect(requireMigrated(database.url)).resolves.toBeUndefined();
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      await expect(requireMigrated(url)).rejects.toThrow(
        /^The database schema is at none, and this version needs \d+_\w+: run migrate, or start/,
      );
      expect(await withClient(url, schemaVersion)).toBe('none');
    });
  });

  test('knows what 1.6 has migrated, which kept its table in public', async () => {
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      await withClient(url, (client) => client.query('create schema app'));
      const own = new URL(url);
      own.searchParams.set('options', '-c search_path=app');
      const { to } = await migrate(own.href);
      await withClient(url, (client) =>
        client.query(`alter table app.${MIGRATIONS_TABLE} set schema public`),
      );
      expect(await migrate(own.href)).toEqual({ from: to, to, applied: [] });
      expect(await withClient(own.href, schemaVersion)).toBe(to);
    });
  });

  test.each([
    [140_099, '14.99', 'The database must be PostgreSQL 15 or newer, it is 14.99: upgrade it'],
    [150_000, '15.0', null],
    [180_004, '18.4', null],
  ])('accepts servers of version 15 or newer (%i)', (number, version, reason) => {
    expect(unfitness({ number, version, encoding: 'UTF8' })).toBe(reason);
  });
});
