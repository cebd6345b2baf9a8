import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sizeText } from '../../cli/output/slices-table.ts';
import { filesBelow, makePoolFolder, removeFolder } from '../store/archive/keep-support.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { type CommandOutcome, runOnDatabase } from '../support/programs/run-command.ts';

const line = (key: string, ts: number): Line => ({
  group: guidOf(1),
  key,
  ts,
  values: { 0: 1 },
});

/** The newest slice must end in the future, as the command uses the real clock. */
const NOW = Math.floor(Date.now() / 1000);

let lab: TestService;
let pool: string;

async function open(): Promise<void> {
  pool = await makePoolFolder();
  lab = await startLab({
    groups: [group(1)],
    declaration: { pools: [{ name: 'oper', path: pool }] },
    lines: [line('a', T0), line('b', T0 + DAY), line('c', T0 + 2 * DAY), line('d', NOW + 3600)],
  });
  await lab.importSamples([line('of engine one', T0)], { engine: 1 });
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
  vi.stubEnv('COUNTERGRAPH_TIME_ZONE', 'UTC');
}

async function close(): Promise<void> {
  vi.unstubAllEnvs();
  await lab.close();
  await removeFolder(pool);
}

function openForEach(): void {
  beforeEach(open);
  afterEach(close);
}

/** For tests that change nothing. */
function openOnce(): void {
  beforeAll(open);
  afterAll(close);
}

/** Runs `slices …` on the context as the program does. */
const run = (command: string, ...args: string[]): Promise<CommandOutcome> =>
  runOnDatabase(['slices', command, '--context', CONTEXT, ...args]);

const statuses = async (): Promise<string[]> => {
  const { out } = await run('list', '--json');
  return out.map((text) => {
    const { name, status } = JSON.parse(text);
    return `${name} ${status}`;
  });
};

describe('slices list', () => {
  openForEach();

  it('shows each with its interval, status, size, tags and path', async () => {
    await run('archive', '--slice', 'slice-20240715-0000');
    const { status, out, err } = await run('list');
    expect([status, err]).toEqual([0, []]);
    expect(out).toHaveLength(6);
    expect(out[0]).toMatch(
      /^NAME +FROM \(UTC\) +TO \(UTC\) +STATUS +SIZE +TAGS +SEGMENTS +WAITING +SAMPLES +DATA +PATH$/,
    );
    expect(out[1]).toMatch(
      /^slice-20240715-0000 {4}2024-07-15 00:00 {2}2024-07-16 00:00 {2}archived +\d+ B {2}archive +- +- +- +- {2}\/.+\/lab\/slice-20240715-0000\.[0-9a-f]{8}\.segments$/,
    );
    expect(out[2]).toMatch(
      /^slice-20240715-0000-1 .* available +\d+ kB {2}primary +1 +0 +1 +\d+ B {2}base\/\d+/,
    );
    expect(out[5]).toMatch(/ processing +\d+ kB {2}primary/);
  });

  it('shows what feeds lost and refused while they filled a slice', async () => {
    await lab.sql(
      `insert into slice_losses (slice_id, refused_lines, left_out_flows, lost_flows, lost_packets)
       select slice_id, 1, 2, 1200, 0 from slices where starts_at = ${T0} and engine = 0
       union all select slice_id, 0, 0, 0, 1 from slices where starts_at = ${T0 + DAY}`,
    );
    const { out } = await run('list');
    expect(out[0]).toMatch(/ DATA +LOST +REFUSED +PATH$/);
    expect(out[1]).toMatch(/ B +1,200 flows +1 line, 2 flows +base/);
    expect(out[2]).toMatch(/ B +- +- +base/);
    expect(out[3]).toMatch(/ B +1 export packet +- +base/);
    const json = (await run('list', '--json')).out.map((text) => JSON.parse(text).losses);
    expect(json.slice(0, 2)).toEqual([
      { refusedLines: 1, leftOutFlows: 2, lostFlows: 1200, lostPackets: 0, lostDatagrams: 0 },
      null,
    ]);
    expect((await run('list', '--engine', '1')).out[0]).not.toContain('LOST');
  });

  it('shows only the selected slices', async () => {
    await run('archive', '--slice', 'slice-20240715-0000');
    const shown = async (...args: string[]) =>
      (await run('list', '--json', ...args)).out.map((text) => JSON.parse(text).name);
    expect(await shown('--before', '2024-07-17', '--engine', '0')).toEqual([
      'slice-20240715-0000',
      'slice-20240716-0000',
    ]);
    expect(await shown('--engine', '1')).toEqual(['slice-20240715-0000-1']);
    expect(await shown('--pool', 'oper')).toEqual(['slice-20240715-0000']);
    expect(await shown('--slice', 'slice-20240715-0000-1', 'slice-20240716-0000')).toHaveLength(2);
  });

  it('shows in JSON the fields of GraphQL, and the archive', async () => {
    const archived = await run('archive', '--slice', 'slice-20240715-0000', '--json');
    const { archived: name, ...archive } = JSON.parse(archived.out[0] ?? '');
    const [first] = (await run('list', '--json')).out.map((text) => JSON.parse(text));
    expect(first).toEqual({
      sliceId: 1,
      name,
      engine: 0,
      status: 'archived',
      available: false,
      tags: ['archive'],
      timeInterval: { from: T0, to: T0 + DAY },
      diskSize: archive.bytes,
      path: archive.path,
      segments: null,
      losses: null,
      archive: {
        pool: 'oper',
        rows: 1,
        bytes: archive.bytes,
        sha256: archive.sha256,
        archivedAt: expect.any(Number),
      },
    });
  });
});

describe('slices archive and restore', () => {
  openForEach();

  it('take all slices that ended by a time, and say what they did', async () => {
    const { status, out, err } = await run('archive', '--before', 'Jul 17 2024 00:00:00 AM');
    expect([status, out.length]).toEqual([2, 0]);
    expect(err[0]).toMatch(/^countergraph: --before must be a time: epoch seconds, 2026-07-15, /);
    const done = await run('archive', '--before', 'Jul 17 2024 12:00:00 AM');
    expect([done.status, done.err]).toEqual([0, []]);
    expect(done.out).toHaveLength(3);
    expect(done.out[0]).toMatch(
      /^slice-20240715-0000 was archived: 1 row in \d+ B, \/.+\/lab\/slice-20240715-0000\.[0-9a-f]{8}\.segments$/,
    );
    const back = await run('restore', '--before', '2025-01-01', '--engine', '0');
    expect(back.err).toEqual(['slice-20240717-0000 is not archived: left out']);
    expect(back.out).toEqual(
      ['slice-20240715-0000', 'slice-20240716-0000'].map(
        (name) => `${name} was restored: 1 row, and everything derived from them`,
      ),
    );
    expect((await statuses()).filter((text) => text.endsWith('archived'))).toEqual([
      'slice-20240715-0000-1 archived',
    ]);
  });

  it('leave a slice that is still being filled, and say until when', async () => {
    const all = await run('archive', '--before', String(NOW + 9 * DAY));
    expect(all.status).toBe(0);
    expect(all.err).toEqual([
      expect.stringMatching(
        /^slice-\d{8}-0000 is processing until \d{4}-\d\d-\d\dT00:00Z: left out$/,
      ),
    ]);
    const newest = (await statuses()).at(-1)?.split(' ')[0] ?? '';
    const named = await run('archive', '--slice', newest);
    expect(named.status).toBe(1);
    expect(named.err[0]).toContain(`${newest} is processing until`);
    expect((await run('drop', '--slice', newest, '--confirm', CONTEXT)).status).toBe(1);
    expect((await statuses()).at(-1)).toBe(`${newest} processing`);
  });

  it('do nothing a second time', async () => {
    await run('archive', '--slice', 'slice-20240715-0000');
    const again = await run('archive', '--slice', 'slice-20240715-0000');
    expect(again).toEqual({
      status: 0,
      out: ['There is nothing to archive.'],
      err: ['slice-20240715-0000 is archived already: left out'],
    });
  });

  it.each([
    ['archive', ['--before', '2024-07-01'], 0],
    ['restore', ['--before', '2024-07-17'], 0],
    ['drop', ['--before', '2024-07-01', '--confirm', CONTEXT], 0],
    // It is gone, as after a command that was killed between the two.
    ['drop', ['--slice', 'slice-20240715-0000', '--confirm', CONTEXT], 1],
  ])('remove what an earlier one left behind: %s %j', async (command, args, status) => {
    const which = ['--slice', 'slice-20240715-0000'];
    await run('archive', ...which);
    await lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path: join(pool, 'unmounted') }] });
    const dropped = await run('drop', ...which, '--confirm', CONTEXT);
    expect(dropped.err.join()).toContain('could not be removed (its pool is not mounted here)');
    await lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path: pool }] });
    expect((await run(command, ...args, '--dry-run')).status).toBe(status);
    expect(await filesBelow(pool)).toHaveLength(1);
    expect((await run(command, ...args)).status).toBe(status);
    expect(await filesBelow(pool)).toEqual([]);
    expect(await lab.sql('select from archive_leftovers')).toEqual([]);
  });

  it('name a table that cannot be removed, do the rest, and leave imports alone', async () => {
    const [kept] = await lab.sql<{ name: string }>(
      "select min(relname) as name from pg_class where relname ~ '^open_segment_pages_[0-9]+_'",
    );
    await lab.sql(`create view in_the_way as select from ${kept?.name}`);
    const dropped = await run('drop', '--before', '2024-07-17', '--confirm', CONTEXT);
    expect(dropped.status).toBe(0);
    expect(dropped.out).toHaveLength(3);
    expect(dropped.err).toEqual([
      expect.stringMatching(
        `^${kept?.name} is not needed, but cannot be removed \\(in_the_way depends on it\\)`,
      ),
    ]);
    await lab.importSamples([line('a', NOW + 3600)]);
    await lab.sql('drop view in_the_way');
    const again = await run('drop', '--slice', 'slice-20240717-0000', '--confirm', CONTEXT);
    expect(again).toMatchObject({ status: 0, err: [] });
  });

  it('show with --dry-run what they would do', async () => {
    const before = await statuses();
    const { out } = await run('archive', '--before', '2024-07-17', '--dry-run');
    expect(out[0]).toMatch(/^Would archive 3 slices \(\d+ kB\) to \//);
    expect(out).toHaveLength(5);
    const json = await run('archive', '--before', '2024-07-16', '--dry-run', '--json');
    expect(json.out).toEqual([
      '{"wouldArchive":"slice-20240715-0000"}',
      '{"wouldArchive":"slice-20240715-0000-1"}',
    ]);
    expect(await statuses()).toEqual(before);
    expect(await filesBelow(pool)).toEqual([]);
  });

  it('need --pool if there are several pools', async () => {
    const other = await makePoolFolder();
    await lab.apply({ context: CONTEXT, pools: [{ name: 'cold', path: other }] });
    const which = ['--slice', 'slice-20240715-0000'];
    const unsaid = await run('archive', ...which);
    expect([unsaid.status, unsaid.err]).toEqual([
      1,
      ['countergraph: Context lab has several pools: choose with --pool cold or oper'],
    ]);
    expect((await run('archive', ...which, '--pool', 'warm')).err[0]).toContain(
      'Context lab has no pool warm: its pools are cold, oper',
    );
    expect((await run('archive', ...which, '--pool', 'cold')).status).toBe(0);
    expect(await filesBelow(other)).toHaveLength(1);
    expect((await run('restore', '--before', '2025-01-01', '--pool', 'oper')).out).toEqual([
      'There is nothing to restore.',
    ]);
    expect((await run('restore', '--before', '2025-01-01', '--pool', 'cold')).out).toHaveLength(1);
    await removeFolder(other);
  });
});

describe('slices drop', () => {
  openForEach();

  it('requires the name of the context, and drops nothing without it', async () => {
    const before = await statuses();
    const which = ['--before', '2024-07-16'];
    const silent = await run('drop', ...which);
    expect([silent.status, silent.err]).toEqual([2, [expect.stringMatching(CONFIRM)]]);
    const wrong = await run('drop', ...which, '--confirm', 'yes');
    expect([wrong.status, wrong.err]).toEqual([
      2,
      ['countergraph: nothing was dropped: the word is lab, got "yes"'],
    ]);
    expect(await statuses()).toEqual(before);
    const right = await run('drop', ...which, '--confirm', 'lab');
    expect([right.status, right.out]).toEqual([
      0,
      ['slice-20240715-0000 was dropped', 'slice-20240715-0000-1 was dropped'],
    ]);
    expect(await statuses()).toEqual(before.slice(2));
  });

  const CONFIRM =
    /^countergraph: Dropping 2 slices \(\d+ kB\) of context lab needs a word of confirmation: give --confirm lab$/;

  it('drops archived slices too, with their files', async () => {
    await run('archive', '--slice', 'slice-20240715-0000');
    const { out } = await run('drop', '--before', '2024-07-16', '--confirm', 'lab', '--json');
    expect(out.map((text) => JSON.parse(text))).toEqual([
      { dropped: 'slice-20240715-0000', wasArchived: true },
      { dropped: 'slice-20240715-0000-1', wasArchived: false },
    ]);
    expect(await filesBelow(pool)).toEqual([]);
  });

  it('drops slices that are older than the context keeps them', async () => {
    expect((await run('drop', '--expired', '--confirm', 'lab')).err).toEqual([
      'countergraph: Context lab keeps everything: declare its retention_days with `npx countergraph apply`',
    ]);
    await lab.apply({ context: CONTEXT, retention_days: 30 });
    const { out } = await run('drop', '--expired', '--engine', '0', '--confirm', 'lab');
    expect(out).toHaveLength(3);
    expect((await statuses()).map((text) => text.split(' ')[0])).toEqual([
      'slice-20240715-0000-1',
      expect.any(String),
    ]);
  });
});

describe('a mistake', () => {
  openOnce();

  it.each<[string[], RegExp]>([
    [['archive'], /say which slices to archive: give --before TIME or --slice NAME$/],
    [['drop'], /say which slices to drop: give --before TIME, --slice NAME or --expired$/],
    [['archive', '--before', '1', '--slice', 'a'], /'--slice <name...>' cannot be used with/],
    [['drop', '--expired', '--before', '1'], /'--expired' cannot be used with option '--before/],
    [['list', '--engine', '99999'], /It must be an integer from 0 to 32767/],
    [['archive', '--pool', ' ', '--before', '1'], /It must be a name of 1 to 200 characters/],
  ])('in %j ends with status 2 and one line', async ([command = '', ...args], message) => {
    const { status, out, err } = await run(command, ...args);
    expect([status, out, err.length]).toEqual([2, [], 1]);
    expect(err[0]).toMatch(message);
  });

  it('in a name ends with status 1', async () => {
    const { status, err } = await run('archive', '--slice', 'slice-1');
    expect([status, err]).toEqual([
      1,
      [
        'countergraph: Context lab has no slice slice-1: ' +
          '`npx countergraph slices list --context lab` names those that it has',
      ],
    ]);
  });
});

describe('a pool that the context does not have', () => {
  openOnce();

  it.each<[string, ...string[]]>([
    ['list'],
    ['archive', '--before', '2024-07-17'],
    ['restore', '--before', '2024-07-17'],
    ['drop', '--before', '2024-07-17', '--confirm', CONTEXT],
    ['drop', '--before', '2024-07-17', '--dry-run'],
  ])('ends slices %s with status 1 and the names of its pools', async (command, ...args) => {
    const before = await statuses();
    expect(await run(command, ...args, '--pool', 'warm')).toEqual({
      status: 1,
      out: [],
      err: ['countergraph: Context lab has no pool warm: its pools are oper'],
    });
    expect(await statuses()).toEqual(before);
  });

  it('ends slices list with status 1 if there are no pools either', async () => {
    // The last of these tests, as others need the pool.
    await lab.sql('delete from pools');
    const { status, err } = await run('list', '--pool', 'warm');
    expect([status, err]).toEqual([
      1,
      ['countergraph: Context lab has no pool warm: it has no pools'],
    ]);
  });
});

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [9949, '9.9 kB'],
    [9950, '10 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [1.5e15, '1500 TB'],
  ])('of %i bytes is %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
});
