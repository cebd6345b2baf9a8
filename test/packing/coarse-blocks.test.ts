import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCoarseBlocks } from '../../packing/build-coarse.ts';
import { DAY, group, meter, startLab, T0 } from '../support/lab.ts';
import type { Line, TestService } from '../support/service.ts';
import { checkAnswers } from './check-answers.ts';
import type { Question } from './several-days.ts';

const METERS = [meter(2, 2), meter(5, 5), meter(11, 11), meter(12, 12)];

const [MINUTES, HOURS] = [1, 2].map((n) =>
  group(n, {
    ...{ key_kind: 'protocol', meters: METERS },
    ...(n === 2 && { bucket_size: 3600, topper_bucket_size: 3600 }),
  }),
) as [ReturnType<typeof group>, ReturnType<typeof group>];

const DAYS = 14;

/** Key 00 on every day, on each of some days another one, of two probes and none. */
const dayLines = (day: number): Line[] =>
  [MINUTES, HOURS].flatMap(({ guid }) =>
    [0, 3599, 40_000, 84_000].map((second, i) => ({
      ...{ group: guid, key: i === 2 ? `0${day % 4}` : '00', ts: T0 + day * DAY + second },
      values: { 2: day * 100 + i, 5: i - 2, 11: 50 - day, 12: day },
      ...(i === 1 && { probe: 'p1' }),
    })),
  );

const FIRST = Array.from({ length: DAYS }, (_, day) => dayLines(day)).flat();

let lab: TestService;
let lines: Line[];

beforeAll(async () => {
  lines = [...FIRST];
  lab = await startLab({
    groups: [MINUTES, HOURS],
    declaration: { probes: [{ id: 'p1' }] },
    lines,
  });
});

afterAll(() => lab.close());

type CoarseRow = { group: string; level: number; start: number; probe: string; slices: string };

/** Each coarse block that is listed, times in days since the first, slices as day and engine. */
async function coarseBlocks(): Promise<string[]> {
  const rows = await lab.sql<CoarseRow>(
    `select g.name as group, b.level / 86400 as level, coalesce(p.name, '–') as probe,
       ((b.start - $1) / 86400)::int as start,
       (select string_agg(format('%s:%s', (s.starts_at - $1) / 86400, s.engine), ' '
          order by s.starts_at, s.engine)
        from slices s where s.slice_id = any(b.slice_ids)) as slices
     from coarse_blocks b join counter_groups g using (group_id)
     left join probes p on p.probe_id = b.probe_id`,
    [T0],
  );
  return rows
    .map((row) => `${row.group}, ${row.probe}: ${row.level} from ${row.start}: ${row.slices}`)
    .sort();
}

/** Of which slices the days are, as `coarseBlocks` writes them: all of engine 0, and more. */
type Slices = (name: string, probe: string, day: number) => string[];

const plainSlices: Slices = (_, __, day) => (day >= 0 && day < DAYS ? [`${day}:0`] : []);

/**
 * What there must be: every block of whole days with samples in it, before the newest bucket,
 * unless a block of half its length holds as much.
 */
function expectedBlocks(slicesOf: Slices = plainSlices): string[] {
  const firstDay = T0 / DAY;
  return [MINUTES, HOURS]
    .flatMap(({ name, guid, bucket_size: size }) => {
      const newest = Math.max(...lines.filter((line) => line.group === guid).map(({ ts }) => ts));
      const end = (Math.floor(newest / size) + 1) * size;
      return ['–', 'p1'].flatMap((probe) =>
        [1, 2, 4, 8, 16, 32].flatMap((level) => {
          const starts = new Set<number>();
          for (let day = 0; day < DAYS + 5; day += 1) {
            starts.add(Math.floor((firstDay + day) / level) * level - firstDay);
          }
          return [...starts].flatMap((start) => {
            const slicesFrom = (from: number, length: number) =>
              Array.from({ length }, (_, i) => slicesOf(name, probe, from + i)).flat();
            const slices = slicesFrom(start, level);
            const halves = [start, start + level / 2].map((at) => slicesFrom(at, level / 2));
            const isOneHalf = level > 1 && halves.some((half) => half.length === 0);
            const isSealed = T0 + (start + level) * DAY <= end;
            if (!isSealed || slices.length === 0 || isOneHalf) return [];
            return [`${name}, ${probe}: ${level} from ${start}: ${slices.join(' ')}`];
          });
        }),
      );
    })
    .sort();
}

const days = (from: number, to: number) => ({ from: T0 + from * DAY, to: T0 + to * DAY });

/** Windows in which coarse blocks of every length are used, and their meters and probes. */
const QUESTIONS: readonly Question[] = [
  { group: MINUTES, meter: 2, ...days(0, DAYS), ranks: [50, 100] },
  { group: MINUTES, meter: 5, ...days(1, 9), maxItems: 1, ranks: [0] },
  { group: MINUTES, meter: 12, ...days(2, 12), probe: 'p1', ranks: [] },
  { group: MINUTES, meter: 2, from: T0 + 1800, to: T0 + 9 * DAY + 41_000, ranks: [95] },
  {
    ...{ group: HOURS, meter: 11, from: T0 + 3 * DAY + 3600, to: T0 + 30 * DAY, ranks: [50] },
    ...{ match: '^00$', passes: (key) => key === '00' },
  },
  // Within the day that late samples come to: the finer blocks of then must not be remembered.
  { group: MINUTES, meter: 2, from: T0 + 5 * DAY + 25_000, to: T0 + 5 * DAY + 39_990, ranks: [] },
  // It ends amid a bucket, which counts whole: blocks of whole days are read and nothing besides.
  { group: HOURS, meter: 5, from: T0 + DAY, to: T0 + 13 * DAY - 1800, ranks: [50] },
];

const check = (more: Partial<Parameters<typeof checkAnswers>[0]> = {}) =>
  checkAnswers({ lab, lines, questions: QUESTIONS, ...more });

const build = (): Promise<number> =>
  lab.write(async (connection) => {
    const [row] = await lab.sql<{ context_id: number }>('select context_id from contexts');
    return buildCoarseBlocks(connection, row?.context_id ?? 0);
  });

describe('coarse blocks', () => {
  it('are there of all whole days before the newest bucket, when an import is over', async () => {
    expect(await coarseBlocks()).toEqual(expectedBlocks());
    expect((await coarseBlocks()).some((text) => text.includes(': 8 from 1'))).toBe(true);
    await check();
    expect(await build()).toBe(0);
  });

  it('answer alone: nothing finer is read of the days inside', async () => {
    await lab.sql('create table saved as select * from topper_blocks where level < 86400');
    await lab.sql('delete from topper_blocks where level < 86400');
    try {
      lab.emptyCaches();
      const inside = { ...QUESTIONS[1], ...days(1, 13) } as Question;
      await check({ questions: [inside, { ...inside, group: HOURS, meter: 2 }] });
    } finally {
      await lab.sql('insert into topper_blocks select * from saved');
      await lab.sql('drop table saved');
      lab.emptyCaches();
    }
  });

  it('that are not listed are not used: finer ones take their place, whichever are left', async () => {
    await lab.sql('create table listed as select * from coarse_blocks');
    const all = await coarseBlocks();
    const name = "concat_ws(' ', group_id, level, start, probe_id)";
    const rows = await lab.sql<{ name: string }>(`select ${name} as name from coarse_blocks`);
    const isExact = fc.asyncProperty(fc.subarray(rows), async (unlisted) => {
      const ids = unlisted.map((row) => row.name);
      const left = `from coarse_blocks where ${name} = any($1::text[])`;
      // Their data are made wrong besides, so that whoever used one would be found out.
      const other = `from topper_blocks o where o.group_id = b.group_id and o.shard = b.shard
        and o.slice_id = 0 and o.data <> b.data`;
      await lab.sql(
        `update topper_blocks b
         set (data, ends) = (select o.data, o.ends ${other} order by o.level, o.start limit 1)
         from (select * ${left}) c
         where b.group_id = c.group_id and b.level = c.level and b.start = c.start
           and b.probe_id = c.probe_id and b.slice_id = 0 and exists (select ${other})`,
        [ids],
      );
      await lab.sql(`delete ${left}`, [ids]);
      await check();
      lab.emptyCaches();
      await check();
      await build();
      expect(await coarseBlocks()).toEqual(all);
      await check();
      await lab.sql('delete from coarse_blocks');
      await lab.sql('insert into coarse_blocks select * from listed');
    });
    await fc.assert(isExact, { numRuns: 2, examples: [[rows]], endOnFailure: true });
  });
});

describe('late samples', () => {
  const late = (day: number, more: Partial<Line> = {}): Line => ({
    ...{ group: MINUTES.guid, key: '07', ts: T0 + day * DAY + 30_000 },
    ...{ values: { 2: 5000, 5: 100, 11: -100, 12: -1 }, ...more },
  });

  async function importLate(added: readonly Line[], engine = 0): Promise<void> {
    await lab.importSamples(added, { engine });
    lines.push(...added);
  }

  /** What an import does when it cannot build coarse blocks, as that is not its purpose. */
  async function withoutBuilding(work: () => Promise<void>): Promise<void> {
    await lab.sql(`create function fail() returns trigger language plpgsql
      as $$ begin raise 'not now'; end $$`);
    await lab.sql(
      'create trigger fail before insert on coarse_blocks for each row execute function fail()',
    );
    try {
      await work();
    } finally {
      await lab.sql('drop function fail cascade');
    }
  }

  it('take out the blocks of their day, group and probe, and no others', async () => {
    await check();
    const before = await coarseBlocks();
    await withoutBuilding(() => importLate([late(5), late(5, { ts: T0 + 5 * DAY })]));
    const stale = before.filter((text) => {
      const [, level = 0, start = 0] = /: (\d+) from (-?\d+):/.exec(text)?.map(Number) ?? [];
      return text.startsWith(`${MINUTES.name}, –`) && start <= 5 && 5 < start + level;
    });
    expect(stale.length).toBeGreaterThan(3);
    expect(await coarseBlocks()).toEqual(before.filter((text) => !stale.includes(text)));
    await check();
    expect(await build()).toBe(stale.length);
    expect(await coarseBlocks()).toEqual(before);
    await check();
  });

  it('are in coarse blocks again when their import is over', async () => {
    const before = await coarseBlocks();
    await importLate([late(0), late(7, { group: HOURS.guid }), late(11, { probe: 'p1' })]);
    expect(await coarseBlocks()).toEqual(before);
    await check();
  });

  it('of another engine are in them too, as of a slice of its own', async () => {
    await importLate([late(3), late(4, { key: '00' })], 1);
    const slicesOf: Slices = (name, probe, day) => [
      ...plainSlices(name, probe, day),
      ...(name === MINUTES.name && probe === '–' && (day === 3 || day === 4) ? [`${day}:1`] : []),
    ];
    expect(await coarseBlocks()).toEqual(expectedBlocks(slicesOf));
    await check();
  });

  it('behind all others seal the days before them', async () => {
    await importLate(dayLines(DAYS));
    await check({ questions: QUESTIONS.map((asked) => ({ ...asked, to: T0 + 16 * DAY })) });
    const sealed = (await coarseBlocks()).filter((text) => text.includes(`1 from ${DAYS - 1}:`));
    expect(sealed).toHaveLength(4);
  });
});

/** The lines that do not lie in this day's slice of engine 0. */
const without = (day: number): Line[] =>
  lines.filter(({ ts }) => Math.floor((ts - T0) / DAY) !== day);

describe('a slice', () => {
  const archive = (day: number, archived: boolean) =>
    lab.sql('update slices set archived = $1 where starts_at = $2 and engine = 0', [
      archived,
      T0 + day * DAY,
    ]);

  it('that is archived is in no answer, and in all of them again when it is restored', async () => {
    await check();
    for (const day of [9, 1]) {
      await archive(day, true);
      await check({ lines: without(day) });
      lab.emptyCaches();
      await check({ lines: without(day) });
      await archive(day, false);
      await check();
    }
  });

  it('that was archived when coarse blocks were built is in them again later', async () => {
    await archive(10, true);
    expect(await build()).toBeGreaterThan(0);
    await check({ lines: without(10) });
    await archive(10, false);
    await check();
    expect(await build()).toBeGreaterThan(0);
    await check();
  });

  it('that is not packed is answered from samples, and takes more of them', async () => {
    await check();
    const [slice] = await lab.sql<{ slice_id: number }>(
      'update slices set packed = false where starts_at = $1 and engine = 0 returning slice_id',
      [T0 + 6 * DAY],
    );
    const id = [slice?.slice_id];
    await lab.sql('delete from topper_blocks where slice_id = $1', id);
    await lab.sql('delete from key_series where slice_id = $1', id);
    const asked = { group: MINUTES, meter: 2, ranks: [50] };
    const [ofDay, before] = [
      { ...asked, ...days(6, 7) },
      { ...asked, ...days(1, 6) },
    ];
    const fromSamples = (texts: readonly string[]) => texts.some((t) => t.includes('from samples'));
    expect(fromSamples(await check({ questions: [ofDay] }))).toBe(true);
    expect(fromSamples(await check({ questions: [before] }))).toBe(false);
    await check();
    const added = [
      { ...(FIRST[0] as Line), ts: T0 + 6 * DAY + 90 },
      { ...(FIRST[0] as Line), ts: T0 + 7 * DAY + 90 },
    ];
    await lab.importSamples(added);
    lines.push(...added);
    await check();
    lab.emptyCaches();
    await check();
    expect(await lab.sql('select from topper_blocks where slice_id = $1', id)).toEqual([]);
  });
});
