import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeFolder, removeFolder, runOn } from '../export/export-support.ts';
import { keepingOf } from '../store/archive/keep-support.ts';
import { parseCsv } from '../support/files/csv-parsers.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import type { CommandOutcome } from '../support/programs/run-command.ts';

const HOSTS = guidOf(1);
const ROOMS = guidOf(2);

let lab: TestService;
let folder: string;
let pool: string;

beforeAll(async () => {
  pool = await makeFolder();
  lab = await startLab({
    groups: [
      group(1, { key_kind: 'ip', name: 'Hosts' }),
      group(2, { name: 'Rooms', meters: [meter(0, 2), meter(1, 6)] }),
    ],
    declaration: { pools: [{ name: 'cold', path: pool }] },
    lines: [
      { group: HOSTS, key: 'C0.A8.01.0A', ts: T0, values: { 0: 5 } },
      { group: HOSTS, key: 'C0.A8.01.0B', ts: T0 + DAY, values: { 0: 7 } },
      { group: ROOMS, key: 'hall', ts: T0 + 60, values: { 0: 1, 1: 40 }, count: 2, probe: 'p1' },
      { group: ROOMS, key: 'attic', ts: T0 + 2 * DAY, values: { 1: -3 }, label: 'Attic' },
    ],
  });
});

beforeEach(async () => {
  folder = await makeFolder();
  return () => removeFolder(folder);
});

afterAll(async () => {
  await lab?.close();
  await removeFolder(pool);
});

/** Runs the command on the context; file names are relative to the test's folder. */
const run = (...parameters: string[]): Promise<CommandOutcome> =>
  runOn(
    lab,
    'export',
    '--context',
    CONTEXT,
    ...parameters.map((each) =>
      /\.(ndjson|csv|json)(\.gz)?$/.test(each) ? join(folder, each) : each,
    ),
  );

const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

const keysOf = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).key);

describe('export', () => {
  it('writes lines of samples, slice by slice, and a summary', async () => {
    const { status, out, err } = await run('lab.ndjson');
    expect([status, err]).toEqual([0, []]);
    expect(out).toEqual([
      expect.stringMatching(/\/lab\.ndjson: 4 lines of 4 keys, 3 slices, \d+ B, \d+\.\d s$/),
    ]);
    expect((await read('lab.ndjson')).split('\n')).toEqual([
      `{"group":"${HOSTS}","key":"C0.A8.01.0A","ts":${T0},"values":{"0":5}}`,
      `{"group":"${ROOMS}","key":"hall","ts":${T0 + 60},"values":{"0":1,"1":40},"count":2,"probe":"p1"}`,
      `{"group":"${HOSTS}","key":"C0.A8.01.0B","ts":${T0 + DAY},"values":{"0":7}}`,
      `{"group":"${ROOMS}","key":"attic","ts":${T0 + 2 * DAY},"values":{"1":-3},"label":"Attic"}`,
      '',
    ]);
    expect(await readdir(folder)).toEqual(['lab.ndjson']);
  });

  it('compresses a .gz file', async () => {
    await run('lab.ndjson');
    const { out } = await run('--json', 'lab.ndjson.gz');
    const bytes = await readFile(join(folder, 'lab.ndjson.gz'));
    expect(gunzipSync(bytes).toString()).toBe(await read('lab.ndjson'));
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ lines: 4, bytes: bytes.length });
  });

  it('writes the summary as JSON', async () => {
    const { out } = await run('--json', '--declaration', 'lab.json', 'lab.ndjson');
    expect(JSON.parse(out[0] ?? '')).toEqual({
      context: CONTEXT,
      format: 'samples',
      file: join(folder, 'lab.ndjson'),
      engine: 0,
      groups: 2,
      slices: 3,
      lines: 4,
      keys: 4,
      keysWithoutReadings: 0,
      derivedLabels: 0,
      keysWithLongTexts: 0,
      bytes: (await stat(join(folder, 'lab.ndjson'))).size,
      archivedSlices: [],
      otherEngines: {},
      declaration: join(folder, 'lab.json'),
      leftOutNodes: [],
      sinksWithAddress: [],
      seconds: expect.any(Number),
    });
  });

  it('writes CSV with a header, a line for each value', async () => {
    expect((await run('--format', 'csv', 'lab.csv')).status).toBe(0);
    expect(parseCsv(await read('lab.csv'))).toEqual([
      ['group', 'key', 'probe', 'ts', 'meter', 'value', 'count'],
      [HOSTS, 'C0.A8.01.0A', '', `${T0}`, '0', '5', '1'],
      [ROOMS, 'hall', 'p1', `${T0 + 60}`, '0', '1', '1'],
      [ROOMS, 'hall', 'p1', `${T0 + 60}`, '1', '40', '2'],
      [HOSTS, 'C0.A8.01.0B', '', `${T0 + DAY}`, '0', '7', '1'],
      [ROOMS, 'attic', '', `${T0 + 2 * DAY}`, '1', '-3', '1'],
    ]);
  });

  it.each<[string[], string[]]>([
    [
      ['--group', HOSTS],
      ['C0.A8.01.0A', 'C0.A8.01.0B'],
    ],
    [
      ['--group', HOSTS.slice(1, -1).toLowerCase(), '--group', ROOMS, '--to', '2024-07-16'],
      ['C0.A8.01.0A', 'hall'],
    ],
    [
      ['--from', `${T0 + 1}`],
      ['hall', 'C0.A8.01.0B', 'attic'],
    ],
    [
      ['--from', '2024-07-15T00:01Z', '--to', '2024-07-16T00:01Z'],
      ['hall', 'C0.A8.01.0B'],
    ],
    [['--from', '2024-07-16', '--to', 'Jul 17 2024 12:00:00 AM'], ['C0.A8.01.0B']],
  ])('with %j writes %j', async (parameters, keys) => {
    const { status, out } = await run(...parameters, 'lab.ndjson');
    expect(status).toBe(0);
    expect(keysOf(await read('lab.ndjson'))).toEqual(keys);
    // Only attic has a text, so only attic can be counted as left out.
    const isAsked = !parameters.includes('--group') || parameters.includes(ROOMS);
    const isLeft = isAsked && !keys.includes('attic');
    expect(out[0]?.includes(', 1 key without readings in the export left out')).toBe(isLeft);
  });

  it('reads times in the time zone of the settings', async () => {
    vi.stubEnv('COUNTERGRAPH_TIME_ZONE', 'America/New_York');
    await run('--from', '2024-07-16', '--to', '2024-07-17', 'lab.ndjson');
    expect(keysOf(await read('lab.ndjson'))).toEqual(['attic']);
  });

  it('writes an empty file if there are no readings', async () => {
    const { status, out } = await run('--to', '1990-01-02', 'lab.ndjson');
    expect([status, await read('lab.ndjson')]).toEqual([0, '']);
    expect(out[0]).toMatch(
      /: 0 lines of 0 keys, 0 slices, 0 B, .* 1 key without readings in the export left out$/,
    );
  });
});

describe('what is left out', () => {
  it('is reported: archived slices, other engines, keys without readings', async () => {
    const own = { context: 'parts' };
    await lab.apply({ ...own, pools: [{ name: 'cold', path: pool }], groups: [group(1)] });
    const line = { group: HOSTS, key: 'a', ts: T0, values: { 0: 1 }, label: 'A' };
    await lab.importSamples([line, { ...line, key: 'b', ts: T0 + DAY, label: 'B' }], own);
    await lab.importSamples([line, { ...line, ts: T0 + DAY }], { ...own, engine: 2 });
    // A slice that may still be filled cannot be archived.
    lab.clock.seconds = T0 + 9 * DAY;
    await keepingOf(lab, own).archive('slice-20240715-0000');
    const file = join(folder, 'parts.ndjson');
    const outcome = await runOn(lab, 'export', '--context', 'parts', file);
    expect(outcome.err).toEqual([
      'slice-20240715-0000 is archived: left out',
      'engine 2 has 2 slices for that time: --engine 2 exports them',
    ]);
    expect(outcome.out[0]).toMatch(
      /: 1 line of 1 key, 1 slice, .*, 1 key without readings in the export left out$/,
    );
    expect(keysOf(await readFile(file, 'utf8'))).toEqual(['b']);
    const other = ['--engine', '2', '--to', '2024-07-16', '--json'];
    const { out, err } = await runOn(lab, 'export', '--context', 'parts', ...other, file);
    expect(err).toEqual([]);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ engine: 2, lines: 1, archivedSlices: [] });
  });

  it('includes the source of labels: they are exported as if a user had given them', async () => {
    await lab.apply({ context: 'named', groups: [group(1)] });
    const keys = ['dns', 'mmdb', 'user'];
    const lines = keys.map((key) => ({
      group: HOSTS,
      key,
      ts: T0,
      values: { 0: 1 },
      label: `by ${key}`,
    }));
    await lab.importSamples(lines, { context: 'named' });
    await lab.sql(
      `update key_texts k set label_source = key from counter_groups g
       where k.group_id = g.group_id
         and g.context_id = (select context_id from contexts where name = 'named')`,
    );
    const file = join(folder, 'named.ndjson');
    const { err } = await runOn(lab, 'export', '--context', 'named', file);
    expect(err).toEqual([
      '2 labels came from DNS answers or MaxMind databases, which the lines do not say: an import ' +
        'treats them as given by a user',
    ]);
    const labels = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(labels.map((line) => JSON.parse(line).label)).toEqual(
      expect.arrayContaining(keys.map((key) => `by ${key}`)),
    );
    const csv = ['--format', 'csv', join(folder, 'named.csv')];
    expect((await runOn(lab, 'export', '--context', 'named', ...csv)).err).toEqual([]);
  });

  it('does not include disabled groups', async () => {
    await lab.apply({ context: CONTEXT, groups: [{ guid: HOSTS, enabled: false }] });
    try {
      await run('lab.ndjson');
      expect(keysOf(await read('lab.ndjson'))).toHaveLength(4);
    } finally {
      await lab.apply({ context: CONTEXT, groups: [{ guid: HOSTS, enabled: true }] });
    }
  });
});

describe('the file', () => {
  it('is replaced when the new one is complete, and keeps its permissions', async () => {
    await writeFile(join(folder, 'old.ndjson'), 'old');
    await chmod(join(folder, 'old.ndjson'), 0o600);
    await symlink(join(folder, 'old.ndjson'), join(folder, 'link.ndjson'));
    expect((await run('link.ndjson')).status).toBe(0);
    expect(keysOf(await read('old.ndjson'))).toHaveLength(4);
    expect((await stat(join(folder, 'old.ndjson'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['link.ndjson', 'old.ndjson']);
  });

  it('stays as it was if the export fails', async () => {
    await writeFile(join(folder, 'old.ndjson'), 'old');
    const unknown = guidOf(9);
    const files = ['--declaration', 'new.json', 'old.ndjson'];
    const { status, out, err } = await run('--group', unknown, ...files);
    expect([status, out, err]).toEqual([
      1,
      [],
      [
        `countergraph: Context lab has no counter group ${unknown} ` +
          `(its groups are ${HOSTS} Hosts, ${ROOMS} Rooms)`,
      ],
    ]);
    expect([await readdir(folder), await read('old.ndjson')]).toEqual([['old.ndjson'], 'old']);
  });

  it('stays as it was if a segment is damaged', async () => {
    await writeFile(join(folder, 'old.ndjson'), 'old');
    await lab.apply({ context: 'damaged', groups: [group(1)] });
    const line = { group: HOSTS, key: 'a', ts: T0, values: { 0: 1 } };
    await lab.importSamples([line], { context: 'damaged' });
    await lab.sql(
      `update open_segment_pages set bytes = set_byte(bytes, 5, get_byte(bytes, 5) # 1)
       where segment_id = (select max(segment_id) from segments)`,
    );
    const file = join(folder, 'old.ndjson');
    const { status, err } = await runOn(lab, 'export', '--context', 'damaged', file);
    expect([status, err]).toEqual([
      1,
      [
        expect.stringMatching(
          /^countergraph: segment \d+: the digest of page 0 does not fit its bytes; `npx countergraph verify`/,
        ),
      ],
    ]);
    expect([await readdir(folder), await read('old.ndjson')]).toEqual([['old.ndjson'], 'old']);
  });

  it('may be a device, which is written to, not replaced', async () => {
    expect((await run('/dev/null')).out[0]).toMatch(/^\/dev\/null: 4 lines/);
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});

describe('a mistake', () => {
  it.each<[string[], RegExp]>([
    [
      ['--from', '2024-07-16', '--to', '2024-07-16'],
      /--to must be later than --from; got --from 2024-07-16 --to 2024-07-16$/,
    ],
    [['--from', 'noon'], /--from must be a time: epoch seconds, .*; got "noon"$/],
    [
      ['--from', '2024'],
      /--from must be a time: .* 2026-07-15.*; got "2024", .*: write a date with hyphens/,
    ],
    [
      ['--to', '20240705'],
      /--to must be a time: .*; got "20240705", .*: write a date with hyphens/,
    ],
    [[''], /cannot write to "": name a file; - is standard output$/],
    [['--declaration', '', 'lab.ndjson'], /cannot write to "": name a file/],
    [['--to', '2024-13-01'], /--to must be a time: .*; got "2024-13-01"$/],
    [['--group', 'Hosts'], /It must be a GUID/],
    [['--engine', '-1'], /It must be an integer from 0 to 32767/],
    [['--format', 'json'], /Allowed choices are samples, csv/],
    [
      ['--declaration', 'a.json', 'a.json'],
      /the declaration and the readings must go to different files$/,
    ],
    [['--declaration', '-'], /the declaration and the readings must go to different files$/],
    [['.'], /cannot write to \.: it is a directory: name a file in it$/],
    [['/nowhere/lab.txt'], /cannot write to \/nowhere\/lab\.txt: ENOENT: /],
    [
      ['--declaration', '/nowhere/lab.txt', 'a.ndjson'],
      /cannot write to \/nowhere\/lab\.txt: ENOENT/,
    ],
  ])('in %j ends with status 2 and one line, and leaves no file', async (parameters, message) => {
    const { status, out, err } = await run(...parameters);
    expect([status, out, err.length]).toEqual([2, [], 1]);
    expect(err[0]).toMatch(message);
    expect(await readdir(folder)).toEqual([]);
  });

  it('in the name of the context ends with status 1', async () => {
    await mkdir(join(folder, 'x'));
    const file = join(folder, 'x', 'a.ndjson');
    const { status, err } = await runOn(lab, 'export', '--context', 'nowhere', file);
    expect(status).toBe(1);
    expect(err[0]).toMatch(/^countergraph: There is no context nowhere \(the contexts are .*lab/);
    expect(await readdir(join(folder, 'x'))).toEqual([]);
  });
});

describe('the declaration', () => {
  it('can go to standard output if the readings go to a file', async () => {
    const written: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk, ...more) => {
      written.push(String(chunk));
      const done = more.findLast((each) => typeof each === 'function');
      done?.();
      return true;
    });
    const outcome = await run('--declaration', '-', 'lab.ndjson').finally(() =>
      write.mockRestore(),
    );
    // In standard output, the summary would make the JSON invalid.
    expect([outcome.status, outcome.out]).toEqual([0, []]);
    expect(outcome.err[0]).toContain('lab.ndjson: 4 lines');
    expect(JSON.parse(written.join(''))).toMatchObject({ context: CONTEXT, slice_seconds: 86_400 });
  });

  it('holds the addresses of sinks, so only its owner may read it', async () => {
    const url = 'https://hooks.example.com/services/T0/secret';
    await lab.apply({ context: CONTEXT, notify: [{ name: 'chat', kind: 'webhook', url }] });
    const outcome = await run('--declaration', 'lab.json', 'lab.ndjson');
    expect([outcome.status, outcome.err]).toEqual([
      0,
      [
        'sink chat is in the declaration with its address, which may hold a password: keep the ' +
          'file private, or declare the sink with url_env',
      ],
    ]);
    expect(JSON.parse(await read('lab.json'))).toMatchObject({ notify: [{ name: 'chat', url }] });
    expect((await stat(join(folder, 'lab.json'))).mode & 0o777).toBe(0o600);
  });
});
