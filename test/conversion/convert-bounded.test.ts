import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { CONVERSION_LIMITS } from '../../store/convert/conversion-limits.ts';
import { createEmptyDatabase } from '../support/database/database.ts';
import { type ConvertLab, LATER, openConvertLab } from './convert-lab.ts';
import { differences } from './plain-readings.ts';

const DAY = 86_400;
const FIRST = LATER - 40 * DAY;
const MANY = 75_000;
const SOME = 30_000;
const SLICES = 3;
const KEYS = 20_000;

/** Two groups with their keys, and slices without samples. */
const DATABASE = `
  insert into contexts (name) values ('large');
  insert into engines (context_id, instance) values (1, 0);
  insert into counter_groups (context_id, guid, name, key_kind, bucket_size, topper_bucket_size,
    sampling_rate, enabled, shard_count)
  values (1, gen_random_uuid(), 'hosts', 'ipv4', 60, 300, 1, true, 8),
    (1, gen_random_uuid(), 'doors', 'text', 60, 300, 1, true, 8);
  insert into meters (group_id, meter_id, slot, type, topcount, name, description, units)
  values (1, 0, 1, 2, 100, 'bytes', '', ''), (1, 1, 2, 5, 100, 'load', '', ''),
    (2, 0, 1, 11, 100, 'most', '', '');
  insert into probes (context_id, name) values (1, 'edge');
  insert into slices (context_id, engine, starts_at, ends_at)
  select 1, 0, at, at + ${DAY}
  from generate_series(${FIRST}, ${FIRST + (SLICES - 1) * DAY}, ${DAY}) at;
  insert into keys (group_id, shard, key_id, key)
  select g, id % 8, id / 8, case g when 1
    then '0A.' || upper(concat_ws('.', lpad(to_hex(id >> 16), 2, '0'),
      lpad(to_hex(id >> 8 & 255), 2, '0'), lpad(to_hex(id & 255), 2, '0')))
    else 'Tür ' || id end
  from generate_series(1, 2) g, generate_series(0, ${KEYS - 1}) id;
`;

/** Inserts `count` samples in the order of an import: by time, groups and probes interleaved. */
const sliceSamples = (sliceId: number, count: number): string => `
  create table samples_${sliceId} (like samples including all);
  alter table samples attach partition samples_${sliceId} for values in (${sliceId});
  insert into samples_${sliceId}
    (group_id, bucket, shard, key_id, probe_id, slice_id, readings, counts)
  select g, ${FIRST + (sliceId - 1) * DAY} + 60 * (n / 70), id % 8, id / 8, n % 5 / 4, ${sliceId},
    case g when 1 then array[n::bigint * n, case when n % 3 = 0 then -n end]
      else array[n * 7 % 1000]::bigint[] end,
    case when g = 1 and n % 6 = 0 then array[null, 4] end
  from (
    select n, 1 + n % 3 / 2 as g, (n::bigint * n * 31 + n) % ${KEYS} as id
    from generate_series(0, ${count - 1}) n order by n) as rows`;

let lab: ConvertLab;

beforeEach(async () => {
  const database = await createEmptyDatabase();
  await migrate(database.url);
  lab = await openConvertLab(database);
  await lab.connection.query(DATABASE);
});

async function fill(samples: number): Promise<void> {
  for (let sliceId = 1; sliceId <= SLICES; sliceId += 1) {
    await lab.connection.query(sliceSamples(sliceId, samples / SLICES));
  }
}

afterEach(() => lab.close());

type SegmentRow = {
  readonly level: number;
  readonly rows: number;
  readonly bytes: number;
  readonly isAlive: boolean;
};

const segmentRows = () =>
  lab.rows<SegmentRow>(
    `select level, row_count::int as rows, size_bytes::int as bytes, died is null as "isAlive"
     from segments`,
  );

const live = (rows: readonly SegmentRow[]) => rows.filter(({ isAlive }) => isAlive);
const parts = (rows: readonly SegmentRow[]) => rows.filter(({ level }) => level === 0);

/** Two groups, each with and without a probe. */
const PAIRS = 4;

describe('a slice with more samples than are gathered', () => {
  it('is gathered in parts within the limits, and ends as one segment per group and probe', async () => {
    await fill(MANY);
    const wanted = await lab.tables();
    // A block has fewer than a hundred rows.
    const limits = { ...CONVERSION_LIMITS, rows: 6_000, blocks: 5, parts: 3 };
    const { samples } = await lab.convert({ limits });
    expect(samples).toBe(MANY);
    const rows = await segmentRows();
    const most = limits.rows + 100 * limits.blocks;
    expect(Math.max(...parts(rows).map((part) => part.rows))).toBeLessThanOrEqual(most);
    expect(parts(rows).length).toBeGreaterThanOrEqual(MANY / most);
    expect(parts(rows).length).toBeLessThan((MANY / limits.rows) * PAIRS);
    expect(live(rows)).toHaveLength(SLICES * PAIRS);
    expect(live(rows).every(({ level }) => level === SEALED_LEVEL)).toBe(true);
    // Level 1: parts that were merged from parts.
    expect(new Set(rows.map(({ level }) => level))).toEqual(new Set([0, 1, SEALED_LEVEL]));
    expect(differences(await lab.segments(), wanted)).toEqual([]);
  });

  it('is also bounded by bytes, whatever the number of keys', async () => {
    await fill(SOME);
    const wanted = await lab.tables();
    const limits = { ...CONVERSION_LIMITS, bytes: 2 ** 17, blocks: 5 };
    await lab.convert({ limits });
    const rows = await segmentRows();
    // A row takes at least 20 bytes.
    expect(Math.max(...parts(rows).map((part) => part.rows))).toBeLessThan(2 ** 17 / 20);
    expect(live(rows)).toHaveLength(SLICES * PAIRS);
    expect(differences(await lab.segments(), wanted)).toEqual([]);
  });

  it('keeps its parts if the slice has not ended, to be merged with later data', async () => {
    await fill(SOME);
    const wanted = await lab.tables();
    const limits = { ...CONVERSION_LIMITS, rows: 5_000, blocks: 5 };
    await lab.convert({ limits, now: () => FIRST });
    const rows = await segmentRows();
    expect(live(rows)).toEqual(rows);
    expect(parts(rows)).toEqual(rows);
    expect(rows.length).toBeGreaterThan(SLICES * PAIRS);
    expect(differences(await lab.segments(), wanted)).toEqual([]);
  });

  it('becomes one segment at once within the default limits', async () => {
    await fill(SOME);
    await lab.convert();
    const rows = await segmentRows();
    expect(rows).toHaveLength(SLICES * PAIRS);
    expect(live(rows)).toEqual(rows);
  });

  it('loses and duplicates nothing when it is killed after some of its parts', async () => {
    await fill(SOME);
    const wanted = await lab.tables();
    await lab.rows(`
      create function kill_itself() returns trigger language plpgsql as $$
      begin
        perform pg_terminate_backend(pg_backend_pid());
        return new;
      end $$`);
    await lab.rows(
      `create trigger t before insert on segments for each row
       when (new.slice_id = 2 and new.level = ${SEALED_LEVEL}) execute function kill_itself()`,
    );
    const limits = { ...CONVERSION_LIMITS, rows: 5_000, blocks: 5 };
    await expect(lab.convert({ limits })).rejects.toThrow(/terminat/);
    expect(await lab.rows(`select from pg_class where relname like '%_segment_pages_2'`)).toEqual(
      [],
    );
    await lab.rows('drop function kill_itself cascade');
    await lab.convert({ limits });
    expect(differences(await lab.segments(), wanted)).toEqual([]);
  });
});
