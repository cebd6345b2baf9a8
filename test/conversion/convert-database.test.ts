import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { MIGRATIONS_TABLE, migrate } from '../../db/migrate.ts';
import { projectRoot } from '../../db/project-root.ts';
import type {
  ConversionProgress,
  ConvertedDatabase,
} from '../../store/from-1.7/convert-database.ts';
import { cloneDatabase, type TestDatabase } from '../support/database/database.ts';
import { dumpSchema } from '../support/database/schema-dump.ts';
import { type ConvertLab, FIXTURE, FORMAT_1_TABLES, openClone, READINGS } from './convert-lab.ts';
import { restoreStoredDatabase, type StoredDatabase } from './stored-database.ts';

let former: StoredDatabase;
let adapted: TestDatabase;
let lab: ConvertLab;

beforeAll(async () => {
  former = await restoreStoredDatabase(FIXTURE, 'cold');
  adapted = await cloneDatabase({ url: former.url, drop: async () => undefined });
  await migrate(adapted.url);
});

afterAll(async () => {
  await adapted?.drop();
  await former?.remove();
});

/** Gives each test of a block a database of its own that is not converted yet. */
function withOwnDatabases(): void {
  beforeEach(async () => {
    lab = await openClone(adapted);
  });
  afterEach(() => lab.close());
}

type ManifestRow = { readonly level: number; readonly version: number };

const manifest = () =>
  lab.rows<ManifestRow>(
    `select group_id, probe_id, slice_id, level, first_bucket, last_bucket, key_count, row_count,
       imported_at, get_byte(directory, 0) as version
     from segments where died is null and sources is null
     order by slice_id, group_id, probe_id, level, segment_id`,
  );

/** Everything that is stored besides segments, by table. */
async function otherRows(from: ConvertLab): Promise<Record<string, { row: string }[]>> {
  const tables = await from.rows<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
       and relname !~ 'segment' and relname not in ($1, 'context_versions') order by 1`,
    [MIGRATIONS_TABLE],
  );
  const found: Record<string, { row: string }[]> = {};
  for (const { name } of tables) {
    found[name] = await from.rows<{ row: string }>(
      `select t::text as row from ${name} t order by 1`,
    );
  }
  return found;
}

const REFUSED =
  /^countergraph 2\.0\.0 has taken over this database, and table segments takes no more writes/;

/** Writes a row of the manifest as 1.7 does. */
const writeAsBefore = () =>
  lab.rows(
    `insert into segments (segment_id, context_id, group_id, probe_id, slice_id, level,
       first_bucket, last_bucket, key_count, row_count, page_count, size_bytes, directory,
       imported_at, born)
     select nextval('segment_ids'), context_id, group_id, 0, 1, 0, 0, 0, 1, 1, 1, 1,
       '\\x0203'::bytea, now(), 1
     from counter_groups limit 1`,
  );

const versions = () =>
  lab.rows<{ layout: number; swept_to: number }>(
    `select context_id, version, nonce, layout::int, swept_to::int from context_versions
     order by context_id`,
  );

describe('a converted database of version 1.7', () => {
  let before: {
    readonly manifest: ManifestRow[];
    readonly versions: Awaited<ReturnType<typeof versions>>;
  };
  let converted: ConvertedDatabase | null;
  const told: ConversionProgress[] = [];

  beforeAll(async () => {
    lab = await openClone(adapted);
    before = { manifest: await manifest(), versions: await versions() };
    expect(await lab.rows(FORMAT_1_TABLES)).not.toEqual([]);
    converted = await lab.convert({ onProgress: (each) => told.push(each) });
  });
  afterAll(() => lab.close());

  it('has every reading of every key, bucket, probe and slice, exactly', async () => {
    expect(await lab.readings()).toEqual(READINGS);
    const [stored] = await lab.rows<{ samples: number }>(
      'select sum(row_count)::int as samples from segments where died is null',
    );
    expect(converted?.samples).toBe(stored?.samples);
  });

  it('has a segment in the place of each, of the same group, probe, level and age', async () => {
    const after = await manifest();
    const places = (rows: readonly ManifestRow[]) => rows.map(({ version: _, ...row }) => row);
    expect(places(after)).toEqual(places(before.manifest));
    expect(new Set(before.manifest.map(({ level }) => level))).toEqual(new Set([0, 100]));
    expect(new Set(after.map(({ version }) => version))).toEqual(new Set([3]));
    expect(converted?.segments).toBe(after.length);
  });

  it('has everything else as it was', async () => {
    const own = await openClone(former);
    try {
      const rows = await otherRows(own);
      const withNew = (name: string, columns: string) =>
        rows[name]?.map((each) => ({ ...each, row: `${each.row.slice(0, -1)},${columns})` }));
      // What later versions have beside: version 1.7 knew no sessions, limits, collectors,
      // silences and keys of other groups.
      expect(await otherRows(lab)).toEqual({
        ...rows,
        sessions: [],
        exporters: [],
        saved_views: [],
        starred_views: [],
        users: withNew('users', 'f,f,,,'),
        tokens: withNew('tokens', 'default,,'),
        grants: withNew('grants', ',,'),
        alerts: withNew('alerts', ',,,'),
        counter_groups: withNew('counter_groups', ''),
        alert_events: withNew('alert_events', 'f,,,'),
      });
      const names = ['users', 'tokens', 'grants', 'imports', 'feeds', 'key_texts', 'slices'];
      for (const name of [...names, 'alerts', 'alert_events', 'audit', 'coverage', 'engines']) {
        expect(rows[name]).not.toEqual([]);
      }
    } finally {
      await own.close();
    }
  });

  it('keeps its cached answers valid, but not what is known of its segments', async () => {
    const after = await versions();
    expect(after).toEqual(
      before.versions.map((row, i) => ({
        ...row,
        layout: after[i]?.layout,
        swept_to: after[i]?.layout,
      })),
    );
    const moved = after.filter(({ layout }, i) => layout > (before.versions[i]?.layout ?? 0));
    expect(moved).not.toEqual([]);
  });

  it('has the schema of a new database, and a trigger that refuses version 1', async () => {
    const dump = await dumpSchema(lab.connection);
    const wanted = await readFile(join(projectRoot(), 'migrations', 'schema.dump.txt'), 'utf8');
    const without = dump
      .replace(/\n {2}CREATE TRIGGER refuse_format_1 [^\n]*/, '')
      .replace(
        /\n\nCREATE OR REPLACE FUNCTION public\.refuse_format_1\(\)[^$]*\$function\$[^$]*\$function\$\n/,
        '',
      );
    expect(without).toBe(wanted);
    expect(dump).not.toBe(wanted);
  });

  it('has none of the old tables, and is not converted again', async () => {
    expect(await lab.rows(FORMAT_1_TABLES)).toEqual([]);
    const once = await manifest();
    expect(await lab.convert()).toBeNull();
    expect(await manifest()).toEqual(once);
  });

  it('was told of as it went, the oldest slice of a context first', () => {
    const first = told.filter(({ context }) => context === 'building').map(({ slice }) => slice);
    expect(new Set(first).size).toBe(4);
    expect(first).toEqual([...first].sort());
    const bytes = told.map((each) => each.bytes.done);
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b));
    const { slices, samples } = converted ?? { slices: 0, samples: 0 };
    expect(told.at(-1)).toMatchObject({ samples, slices: { done: slices, of: slices } });
    expect(bytes.at(-1)).toBe(told.at(-1)?.bytes.of);
  });

  it('takes no writes of version 1.7', () => expect(writeAsBefore()).rejects.toThrow(REFUSED));
});

describe('version 1.7, if it still runs', () => {
  withOwnDatabases();

  it('cannot write to a database that is yet to be converted', () =>
    expect(writeAsBefore()).rejects.toThrow(REFUSED));

  it('does not write in a transaction that it began before', async () => {
    const own = await openClone(former);
    try {
      const writing = inTransaction(own.connection, async () => {
        await own.rows('select from contexts');
        await migrate(own.url);
        await own.rows(
          `insert into segments select nextval('segment_ids'), context_id, group_id, 0, 1, 0, 0, 0,
             1, 1, 1, 1, '\\x02', now(), 1 from counter_groups limit 1`,
        );
      });
      await expect(writing).rejects.toThrow(REFUSED);
    } finally {
      await own.close();
    }
  });
});

describe('converting', () => {
  withOwnDatabases();

  it('is done by one of two runs that begin at the same time', async () => {
    const both = await Promise.all([lab.convert(), lab.convert()]);
    expect(both.filter((each) => each === null)).toHaveLength(1);
    expect(await lab.readings()).toEqual(READINGS);
  });

  it('stops when it is aborted, and the next run continues', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const cut = lab.convert({
      signal: abort.signal,
      onProgress: ({ slices }) => slices.done === 2 && abort.abort(reason),
    });
    await expect(cut).rejects.toBe(reason);
    const versions = new Set((await manifest()).map(({ version }) => version));
    expect(versions).toEqual(new Set([2, 3]));
    // The old pages of a slice are removed with it, so disk takes at most one slice more.
    const old = await lab.rows(
      `select distinct substring(c.relname from '_pages_([0-9]+)')::int as slice
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent in ('format_1_open_pages'::regclass, 'format_1_sealed_pages'::regclass)
       order by 1`,
    );
    const left = await lab.rows(
      `select distinct slice_id as slice from segments where get_byte(directory, 0) < 3
       order by 1`,
    );
    expect(old).toEqual(left);
    const rest = await lab.convert();
    expect(rest?.slices).toBeGreaterThan(2);
    expect(await lab.readings()).toEqual(READINGS);
  });

  it('names a damaged segment, and leaves its slice as it was', async () => {
    const [damaged] = await lab.rows<{ id: number; slice: number }>(
      `update format_1_sealed_pages p set bytes = set_byte(bytes, 5, get_byte(bytes, 5) # 1)
       from (select segment_id, slice_id from segments where level = 100
         order by slice_id desc, segment_id limit 1) s
       where p.segment_id = s.segment_id and p.slice_id = s.slice_id
       returning p.segment_id::int as id, p.slice_id as slice`,
    );
    await expect(lab.convert()).rejects.toThrow(
      `Segment ${damaged?.id} is damaged, and cannot be converted: the digest of page 0 does not`,
    );
    const versions = await lab.rows(
      'select distinct get_byte(directory, 0) as version from segments where slice_id = $1',
      [damaged?.slice],
    );
    expect(versions).toEqual([{ version: 2 }]);
  });

  it('keeps pages of a slice that was archived by hand as a table of their own', async () => {
    const [slice] = await lab.rows<{ id: number }>(
      'select max(slice_id) as id from segments where level = 100',
    );
    await lab.rows(`update slices set archived = true where slice_id = $1`, [slice?.id]);
    await lab.rows('delete from segments where slice_id = $1', [slice?.id]);
    await lab.convert();
    expect(
      await lab.rows(`select count(*) > 0 as "isThere" from sealed_segment_pages_${slice?.id}`),
    ).toEqual([{ isThere: true }]);
  });
});

describe('a conversion that is killed', () => {
  withOwnDatabases();

  /** Kills the backend in the statement that fires the trigger. */
  async function killAt(trigger: string): Promise<void> {
    await lab.rows(`
      create function kill_itself() returns trigger language plpgsql as $$
      begin
        perform pg_terminate_backend(pg_backend_pid());
        return new;
      end $$`);
    await lab.rows(`create ${trigger} execute function kill_itself()`);
  }

  const lastSlice = async (): Promise<number> => {
    const rows = await lab.rows<{ id: number }>(
      `select slice_id as id from segments join slices using (slice_id)
       where slices.context_id = (select min(context_id) from slices)
       order by starts_at desc, slices.engine desc limit 1`,
    );
    return rows[0]?.id ?? 0;
  };

  it.each([
    [
      'when segments of a slice are published',
      (id: number) =>
        `trigger t before insert on segments for each row when (new.slice_id = ${id})`,
    ],
    [
      'at the commit of a slice',
      (id: number) =>
        `constraint trigger t after insert on segments deferrable initially deferred
         for each row when (new.slice_id = ${id})`,
    ],
  ])('%s loses and duplicates nothing after the next run', async (_, triggerOf) => {
    const id = await lastSlice();
    await killAt(triggerOf(id));
    await expect(lab.convert()).rejects.toThrow(/terminat/);
    const versions = async (condition: string) =>
      lab.rows(
        `select distinct get_byte(directory, 0) as version from segments where ${condition}`,
      );
    expect(await versions(`slice_id = ${id}`)).toEqual([{ version: 2 }]);
    expect(await versions('true')).toHaveLength(2);
    await lab.rows('drop function kill_itself cascade');
    await lab.convert();
    expect(await lab.readings()).toEqual(READINGS);
    expect(await lab.rows(FORMAT_1_TABLES)).toEqual([]);
  });
});

describe('a database that cannot be taken over', () => {
  const refused = async (change: string, message: string | RegExp) => {
    const own = await openClone(former);
    try {
      await own.rows(change);
      const before = await own.rows(`select name from ${MIGRATIONS_TABLE} order by id`);
      await expect(migrate(own.url)).rejects.toThrow(message);
      expect(await own.rows(`select name from ${MIGRATIONS_TABLE} order by id`)).toEqual(before);
    } finally {
      await own.close();
    }
  };

  it('is one of a version before the last 1.7', () =>
    refused(
      `delete from ${MIGRATIONS_TABLE} where name > '021'`,
      'The database must be one that the last version 1.7 has migrated and converted, and its ' +
        'schema is at 020_alert_backlogs: run `countergraph migrate` of version 1.7 first',
    ));

  it('is one in which 1.7 has not converted what 0.7 stored', () =>
    refused(
      'create table converted_slices ()',
      /has migrated and converted, .* is at 024_present/,
    ));

  it('is one with archives of 0.7, which are named', () =>
    refused(
      `update slices set archive_path = 'lab/slice.gz' where archive_digest is not null
         and slice_id = (select min(slice_id) from slices where archive_digest is not null)`,
      /version 1\.0 or newer, and those of version 0\.7 are lab\/slice\.gz: restore these slices/,
    ));
});
