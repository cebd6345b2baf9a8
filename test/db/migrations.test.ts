import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

describe('a database that commands make ready', () => {
  test('is made ready once if several processes start at the same time', async () => {
    await withEmptyDatabase("encoding 'UTF8'", async (url) => {
      await Promise.all([makeReady(url), makeReady(url), makeReady(url)]);
      expect(await withClient(url, schemaVersion)).toBe(await expectedSchemaVersion());
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
