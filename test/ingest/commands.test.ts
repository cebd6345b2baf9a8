import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { type CommandOutcome, runOnDatabase } from '../support/programs/run-command.ts';
import { storedReadings } from '../support/reference/stored-readings.ts';
import { conn, connLog, sums } from './import-support.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  await writeFile(join(folder, 'conn.log'), connLog(conn(1_700_000_000)));
  await writeFile(join(folder, 'other.log.gz'), gzipSync(connLog(conn(1_700_000_060))));
  await writeFile(join(folder, 'bad.log'), connLog('x', conn(1_700_000_120)));
  await writeFile(join(folder, 'worse.log'), connLog('x', 'x\ty'));
  await writeFile(join(folder, 'empty.log'), '');
  await writeFile(join(folder, 'flows.csv'), NFDUMP);
  await writeFile(join(folder, 'back.csv'), WAY_BACK);
  await writeFile(join(folder, 'labels.csv'), '10.0.0.1,alpha\n10.9.9.9,beta\n');
  const lab = { context: 'lab', probes: [{ id: 'p1' }] };
  await writeFile(join(folder, 'lab.json'), JSON.stringify(lab));
  await writeFile(join(folder, 'office.json'), JSON.stringify({ context: 'office' }));
  await writeFile(join(folder, 'typo.json'), JSON.stringify({ ...lab, probe: [] }));
  await writeFile(join(folder, 'broken.json'), '{"context": ');
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});

/** Runs a command as the program does; file names refer to the test's folder. */
const run = (...args: string[]): Promise<CommandOutcome> =>
  runOnDatabase(args.map((arg) => (/\.(log|gz|csv|json)$/.test(arg) ? join(folder, arg) : arg)));

const NFDUMP_FIELDS = 'ts,td,sa,da,sp,dp,pr,ipkt,ibyt,opkt,obyt';

/** A flow at 22:15 in an unspecified time zone. */
const NFDUMP = `${NFDUMP_FIELDS}
2023-11-14 22:15:00,0.000,10.0.0.1,198.51.100.1,5000,443,TCP,3,900,0,0`;

/** The reply direction of a conversation with a web server. */
const WAY_BACK = `${NFDUMP_FIELDS}
2023-11-14 22:15:00,0.000,198.51.100.1,10.0.0.1,443,5000,TCP,3,900,0,0`;

const ZEEK = ['import', '--context', 'lab', '--format', 'zeek'];

describe('the command import', () => {
  it.each([
    [[], '01.BB'],
    [['--service-port', 'registered'], '01.BB'],
    [['--service-port', 'destination'], '13.88'],
  ])('counts a one-way flow under the port that %j selects', async (options, app) => {
    const nfdump = ['import', '--context', 'lab', '--format', 'nfdump'];
    expect(await run(...nfdump, ...options, 'back.csv')).toMatchObject({ status: 0, err: [] });
    expect(await sums(database.url)).toMatchObject({ [`Apps ${app} 1`]: '900' });
  });

  it.each([
    ['UTC', [], 1_700_000_100],
    ['Europe/Berlin', [], 1_699_996_500],
    ['Europe/Berlin', ['--time-zone', 'America/New_York'], 1_700_018_100],
  ])('reads the local times of nfdump in zone %s, with %j', async (zone, options, at) => {
    vi.stubEnv('COUNTERGRAPH_TIME_ZONE', zone);
    const parameters = ['import', '--context', 'lab', '--format', 'nfdump', ...options];
    expect(await run(...parameters, 'flows.csv')).toMatchObject({ status: 0, err: [] });
    const stored = await storedReadings(database.url);
    expect(new Set(stored.map(({ bucket }) => bucket))).toEqual(new Set([at]));
  });

  it.each([
    ['for another format', 'zeek', 'UTC', /--time-zone is for nfdump/],
    ['that does not exist', 'nfdump', 'Berlin', /It must be an IANA time zone/],
  ])('reports a time zone %s as a mistake', async (_, format, zone, reason) => {
    const parameters = ['import', '--context', 'lab', '--format', format, '--time-zone', zone];
    const { status, err } = await run(...parameters, 'flows.csv');
    expect([status, err.at(-1)]).toEqual([2, expect.stringMatching(reason)]);
  });

  it('reports what it imported from each file', async () => {
    const { status, out, err } = await run(...ZEEK, 'conn.log', 'other.log.gz');
    expect([status, err]).toEqual([0, []]);
    expect(out).toHaveLength(2);
    expect(out[0]).toMatch(
      /conn\.log: 1 flow from 2 lines, 12 readings, 12 keys, 1 slice \(1 new\), \d+\.\d s, [\d,]+ readings\/s, [\d,]+ MB of memory$/,
    );
    expect(out[1]).toMatch(/other\.log\.gz: 1 flow .* 12 keys, 1 slice \(0 new\)/);
  });

  it('reports in JSON, one line per file', async () => {
    const { out } = await run(...ZEEK, '--json', '--skip-bad-lines', 'bad.log', 'conn.log');
    const [first, second] = out.map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      source: join(folder, 'bad.log'),
      records: 1,
      badLines: { count: 1, named: [{ line: 2, reason: 'it must have 8 fields, got 1' }] },
    });
    expect(second).toMatchObject({ records: 1, badLines: { count: 0, named: [] } });
    expect(second.readingsPerSecond).toBe(Math.round(second.readings / second.seconds));
    // Node alone uses some 40 MB; no machine has a TB.
    expect(second.peakMemoryBytes).toBeGreaterThan(2e7);
    expect(second.peakMemoryBytes).toBeLessThan(1e12);
  });

  it('stops at the first file that fails; earlier files stay imported', async () => {
    const { status, out, err } = await run(...ZEEK, 'conn.log', 'bad.log', 'other.log.gz');
    expect([status, out.length]).toEqual([1, 1]);
    expect(err).toEqual([
      `countergraph: ${join(folder, 'bad.log')}, line 2: it must have 8 fields, got 1`,
    ]);
    expect((await sums(database.url))['Aggregates TOTALBW 1']).toBe('1100');
  });

  it('names the lines that it skips', async () => {
    const { status, out, err } = await run(...ZEEK, '--skip-bad-lines', 'bad.log');
    expect([status, err]).toEqual([
      0,
      [`${join(folder, 'bad.log')}, line 2 was skipped: it must have 8 fields, got 1`],
    ]);
    expect(out[0]).toContain('1 flow from 3 lines, 1 bad line skipped');
  });

  it('names the lines that it skips, then fails if it skipped all', async () => {
    const { status, out, err } = await run(...ZEEK, '--skip-bad-lines', 'worse.log', 'conn.log');
    expect([status, out]).toEqual([1, []]);
    const file = join(folder, 'worse.log');
    expect(err).toEqual([
      `${file}, line 2 was skipped: it must have 8 fields, got 1`,
      `${file}, line 3 was skipped: it must have 8 fields, got 2`,
      expect.stringMatching(/^countergraph: .*worse\.log: no line could be read as zeek, /),
    ]);
  });

  it('accepts a file without lines, however often it is imported', async () => {
    const { status, out, err } = await run(...ZEEK, 'empty.log', 'empty.log');
    expect([status, err]).toEqual([0, []]);
    expect(out).toEqual([0, 1].map(() => expect.stringContaining('0 flows from 0 lines')));
  });

  it('fails for empty nfdump input, unless told otherwise', async () => {
    const nfdump = ['import', '--context', 'lab', '--format', 'nfdump'];
    const { status, out, err } = await run(...nfdump, 'empty.log');
    expect([status, out]).toEqual([1, []]);
    expect(err).toEqual([
      expect.stringMatching(/empty\.log: it is empty: .* --allow-empty accepts/),
    ]);
    const allowed = await run(...nfdump, '--allow-empty', 'empty.log');
    expect(allowed).toMatchObject({ status: 0, err: [] });
  });

  it('accepts home networks, a probe and an engine instance', async () => {
    const home = ['--home', '198.51.100.0/24', '--home', '203.0.113.1'];
    const { status } = await run(...ZEEK, ...home, '--probe', 'p7', '--engine', '2', 'conn.log');
    expect(status).toBe(0);
    expect((await sums(database.url))['Aggregates DIR_INTOHOME 1']).toBe('100');
    expect(await rowsOf(database.url, 'select instance, name from engines, probes')).toEqual([
      { instance: 2, name: 'p7' },
    ]);
  });

  it('refuses a file that was already imported, unless told otherwise', async () => {
    await run(...ZEEK, 'conn.log');
    const refused = await run(...ZEEK, 'conn.log');
    expect([refused.status, refused.err.length]).toEqual([1, 1]);
    expect(refused.err[0]).toContain('give --again to count it again');
    expect((await run(...ZEEK, '--again', 'conn.log')).status).toBe(0);
  });

  it('passes over a file that was already imported, if asked to', async () => {
    await run(...ZEEK, 'conn.log');
    const again = await run(...ZEEK, '--if-new', 'conn.log', 'other.log.gz');
    expect([again.status, again.err]).toEqual([0, []]);
    expect(again.out).toEqual([
      expect.stringMatching(/conn\.log: its content is in context lab already, .*: skipped$/),
      expect.stringContaining('1 flow from'),
    ]);
    const { out } = await run(...ZEEK, '--if-new', '--json', 'conn.log');
    expect(JSON.parse(out[0] ?? '')).toEqual({
      source: join(folder, 'conn.log'),
      context: 'lab',
      alreadyImported: true,
    });
    // Other failures are still failures.
    expect(await run(...ZEEK, '--if-new', 'bad.log')).toMatchObject({ status: 1 });
  });

  it.each<[string[], RegExp]>([
    [['import', '--format', 'zeek', 'conn.log'], /--context/],
    [['import', '--context', 'lab', 'conn.log'], /--format/],
    [
      ['import', '--context', 'lab', '--format', 'pcap', 'conn.log'],
      /Allowed choices are samples, zeek/,
    ],
    [['import', '--context', '', '--format', 'zeek', 'conn.log'], /It must be a name/],
    [ZEEK, /missing required argument 'file'/],
    [[...ZEEK, 'missing.log'], /cannot read .*missing\.log: ENOENT/],
    [[...ZEEK, tmpdir()], /is a directory: name the files in it/],
    [[...ZEEK, '-', '-'], /give - once/],
    [[...ZEEK, '--home', '10.0.0.0/33', 'conn.log'], /It must be a network in CIDR form/],
    [[...ZEEK, '--mmdb', 'none.mmdb', 'conn.log'], /cannot read none\.mmdb: ENOENT/],
    [[...ZEEK, '--mmdb', 'labels.csv', 'conn.log'], /must be a database in MaxMind's format/],
    [[...ZEEK, '--follow', 'conn.log'], /--follow reads standard input without end: give - alone/],
    [[...ZEEK, '--follow', '-', 'conn.log'], /--follow reads standard input/],
    [[...ZEEK, '--follow', '--again', '-'], /--again is for files/],
    [[...ZEEK, '--lateness', '5', 'conn.log'], /--lateness is for --follow/],
    [[...ZEEK, '--follow', '--lateness', '-5', '-'], /It must be an integer from 0 to 86400/],
    [
      ['import', '--context', 'lab', '--format', 'samples', '--follow', '-'],
      /--follow is for flow formats/,
    ],
    [[...ZEEK, '--service-port', 'destination', 'conn.log'], /Zeek says who responded/],
    [
      ['import', '--context', 'lab', '--format', 'samples', '--service-port', 'destination', '-'],
      /--service-port is for nfdump, goflow2 and pmacct, .* samples name their keys/,
    ],
    [
      ['import', '--context', 'lab', '--format', 'goflow2', '--service-port', '443', '-'],
      /'443' is invalid\. Allowed choices are registered, destination/,
    ],
    [[...ZEEK, '--if-new', '--again', 'conn.log'], /--again and --if-new contradict each other/],
    [[...ZEEK, '--follow', '--if-new', '-'], /--if-new is for files/],
    [[...ZEEK, '--engine', '32768', 'conn.log'], /It must be an integer from 0 to 32767/],
    [[...ZEEK, '--engine', '-1', 'conn.log'], /It must be an integer from 0 to 32767/],
    [[...ZEEK, '--probe', '', 'conn.log'], /It must be a name/],
    [[...ZEEK, '--nonsense', 'conn.log'], /unknown option '--nonsense'/],
    [
      ['import', '--context', 'lab', '--format', 'samples', '--home', '10.0.0.0/8', 'conn.log'],
      /--home is for flow formats/,
    ],
  ])('%j is a mistake: one line, status 2, nothing done', async (args, reason) => {
    const { status, out, err } = await run(...args);
    expect([status, out, err.length]).toEqual([2, [], 1]);
    expect(err[0]).toMatch(reason);
    expect(await rowsOf(database.url, 'select from contexts')).toEqual([]);
  });
});

describe('the command labels', () => {
  it('reports how many keys were labelled', async () => {
    await run(...ZEEK, 'conn.log');
    const labels = ['labels', '--context', 'lab', '--format', 'csv', 'labels.csv'];
    const { status, out } = await run(...labels);
    expect(status).toBe(0);
    expect(out).toEqual([
      `${join(folder, 'labels.csv')}: 1 key labelled, 0 unchanged, 1 key not in the context`,
    ]);
    const json = await run(...labels, '--json');
    expect(JSON.parse(json.out[0] ?? '')).toMatchObject({ labelled: 0, unchanged: 1, unknown: 1 });
  });

  it('fails if the context is unknown, and reports a malformed GUID as a mistake', async () => {
    const labels = ['labels', '--context', 'lab', '--format', 'csv', 'labels.csv'];
    expect(await run(...labels)).toMatchObject({ status: 1 });
    const { status, err } = await run(...labels, '--group', 'Hosts');
    expect([status, err.join()]).toEqual([2, expect.stringContaining('It must be a GUID')]);
  });
});

describe('the command apply', () => {
  it('reports what it created and changed', async () => {
    expect((await run('apply', 'lab.json')).out).toEqual([
      'Context lab: 2 created, 0 changed, 0 unchanged.',
    ]);
    const { out } = await run('apply', 'lab.json', '--json');
    expect(JSON.parse(out[0] ?? '')).toEqual({
      context: 'lab',
      counts: { created: 0, changed: 0, unchanged: 2 },
      items: [
        { what: 'context', name: 'lab', outcome: 'unchanged' },
        { what: 'probe', name: 'p1', outcome: 'unchanged' },
      ],
    });
  });

  it.each([
    ['typo.json', /typo\.json: the declaration must have no "probe": it may have context, /],
    ['broken.json', /broken\.json must be JSON: /],
    ['missing.json', /cannot read .*missing\.json: ENOENT/],
    ['.', /^countergraph: \. is a directory: name the JSON file in it$/],
  ])('reports %s as a mistake', async (file, reason) => {
    const { status, err } = await run('apply', file);
    expect([status, err.length]).toEqual([2, 1]);
    expect(err[0]).toMatch(reason);
  });
});

describe('the command user', () => {
  it('shows a new token once, alone on standard output', async () => {
    await run('apply', 'lab.json');
    const added = await run('user', 'add', 'anna', '--context', 'lab');
    expect(added.out).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)]);
    expect(added.err[0]).toBe('User anna was added, with context lab (reader).');
    const rotated = await run('user', 'rotate', 'anna', '--json');
    expect(JSON.parse(rotated.out[0] ?? '')).toEqual({
      name: 'anna',
      newToken: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
  });

  it('reports what it granted, and what was granted before', async () => {
    await run('apply', 'lab.json');
    await run('apply', 'office.json');
    const add = (...contexts: string[]) =>
      run('user', 'add', 'anna', ...contexts.flatMap((name) => ['--context', name]));
    expect((await add()).err[0]).toBe(
      'User anna was added, and may read no context yet: ' +
        '`npx countergraph user add anna --context NAME` grants one.',
    );
    expect(await add('lab')).toEqual({
      status: 0,
      out: [],
      err: ['User anna already exists. Granted now: lab (reader). Unchanged: nothing.'],
    });
    expect((await add('office', 'lab')).err).toEqual([
      'User anna already exists. Granted now: office (reader). Unchanged: lab (reader).',
    ]);
    expect((await add('lab')).err).toEqual([
      'User anna already exists. Granted now: nothing. Unchanged: lab (reader), office (reader).',
    ]);
    const json = await run('user', 'add', 'anna', '--context', 'lab', '--json');
    expect(JSON.parse(json.out[0] ?? '')).toEqual({
      name: 'anna',
      created: false,
      newToken: null,
      granted: [],
      grantedBefore: ['lab', 'office'],
      roleChanged: [],
      limitChanged: [],
      grants: [
        { context: 'lab', role: 'reader' },
        { context: 'office', role: 'reader' },
      ],
    });
  });

  it('does not replace the token of an existing user', async () => {
    await run('apply', 'lab.json');
    await run('user', 'add', 'anna');
    const again = await run('user', 'add', 'anna', '--legacy-token', 'y', '--context', 'lab');
    expect(again).toEqual({
      status: 1,
      out: [],
      err: [expect.stringContaining('`npx countergraph user rotate anna`')],
    });
    expect((await run('user', 'list')).out).toEqual(['anna: no contexts']);
  });

  it('lists, revokes and removes', async () => {
    await run('apply', 'lab.json');
    const added = await run('user', 'add', 'anna', '--context', 'lab', '--json');
    expect(JSON.parse(added.out[0] ?? '')).toMatchObject({ created: true });
    expect((await run('user', 'list')).out).toEqual(['anna: lab (reader)']);
    expect((await run('user', 'revoke', 'anna', '--context', 'lab')).status).toBe(0);
    expect((await run('user', 'list')).out).toEqual(['anna: no contexts']);
    expect(JSON.parse((await run('user', 'list', '--json')).out[0] ?? '')).toEqual([
      { name: 'anna', contexts: [], grants: [] },
    ]);
    expect((await run('user', 'remove', 'anna')).out).toEqual(['User anna was removed.']);
    expect(await run('user', 'remove', 'anna')).toMatchObject({ status: 1 });
  });

  it.each([
    [['user', 'add', 'a:b'], /without colons/],
    [['user', 'add', ''], /It must be a name/],
    [['user', 'add', 'anna', '--token', 'with space'], /printable ASCII/],
    [['user', 'add', 'anna', '--token', ''], /printable ASCII/],
    [['user', 'revoke', 'anna'], /--context/],
    [['user'], /a command is missing/],
  ])('%j is a mistake', async (args, reason) => {
    const { status, err } = await run(...args);
    expect([status, err.at(-1)]).toEqual([2, expect.stringMatching(reason)]);
  });
});
