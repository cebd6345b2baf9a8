import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, CONTEXT, type TestService } from '../support/lab/service.ts';
import { type CommandOutcome, runCommand } from '../support/programs/run-command.ts';
import { type Deviation, type StandIn, startStandIn, withText } from './stand-in.ts';

const WINDOW = `window_fromts=${T0}&window_tots=${T0 + 300}`;
const TOPPER = `/api/topper/topper_request?context=${CONTEXT}&counter_group=${guidOf(1)}`;
const SLICES = `/api/time_slices/time_slices_request?context=${CONTEXT}`;
const GROUPS = `/api/counter_group_info/counter_group_info_request?context=${CONTEXT}`;

const REQUESTS = [
  `${TOPPER}&${WINDOW}`,
  `${SLICES}&get_total_window=true&get_disk_usage=true`,
  `${GROUPS}&get_meter_info=true`,
];

let lab: TestService;
let legacy: StandIn;
let folder: string;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: ['a', 'b', 'c'].map((key, i) => {
      const values = { 0: i === 0 ? 9007199254740993n : 10 - i };
      return { group: guidOf(1), key, ts: T0, values };
    }),
  });
  folder = await mkdtemp(join(tmpdir(), 'countergraph-parity-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  await lab.close();
});

beforeEach(async () => {
  legacy = await startStandIn(lab.url);
  return () => legacy.close();
});

const AS_ADA = ['--user', ADA.username, '--legacy-token', ADA.token, '--token', ADA.token];

async function parity(
  lines: readonly string[] | Buffer,
  options: readonly string[] = AS_ADA,
): Promise<CommandOutcome> {
  const file = join(folder, 'requests');
  await writeFile(file, Buffer.isBuffer(lines) ? lines : `${lines.join('\n')}\n`);
  const targets = ['--legacy', legacy.url, '--ours', lab.url, '--requests', file];
  return runCommand(['parity', ...targets, ...options]);
}

function* endless(): Generator<string> {
  for (;;) yield 'x'.repeat(2 ** 20);
}

const shown = (request: string): string => {
  const [path, query] = request.split('?');
  return `${path}?${new URLSearchParams(query)}`;
};

describe('parity', () => {
  it('finds nothing if both services answer the same', async () => {
    const refused = `${TOPPER}&meter=77`;
    expect(await parity([...REQUESTS, refused])).toEqual({
      status: 0,
      out: ['replayed 4 requests: 4 answered the same, of them 1 refused by both services'],
      err: [],
    });
  });

  const DEVIATIONS: readonly [
    what: string,
    request: string,
    deviation: Deviation,
    ...lines: string[],
  ][] = [
    [
      'a number that differs in its last digit',
      `${TOPPER}&${WINDOW}`,
      withText((text) => text.replace('9007199254740993', '9007199254740992')),
      'keys.metric of a: legacy 9007199254740992, ours 9007199254740993',
    ],
    [
      'keys in another order',
      `${TOPPER}&${WINDOW}`,
      withText((text) =>
        text
          .replace('"key":"b"', '"key":"?"')
          .replace('"key":"c"', '"key":"b"')
          .replace('"key":"?"', '"key":"c"'),
      ),
      'keys.readable of c: legacy "b", ours "c"',
      'keys.label of c: legacy "b", ours "c"',
      'keys.metric of c: legacy 9, ours 8',
      'keys.readable of b: legacy "c", ours "b"',
      'keys.label of b: legacy "c", ours "b"',
      'keys.metric of b: legacy 8, ours 9',
      'keys.order: legacy ["a","c","b"], ours ["a","b","c"]',
    ],
    [
      'another status',
      `${TOPPER}&${WINDOW}`,
      (_, __, response) => response.writeHead(422).end('{"status":"ERROR","message":"No"}'),
      'http_status: legacy 422 (No), ours 200',
    ],
    [
      'the message of an error',
      `${TOPPER}&meter=77`,
      withText((text) => text.replace('Invalid', 'Wrong')),
      'message: legacy "Wrong meter - 77", ours "Invalid meter - 77"',
    ],
    [
      'HTML in place of JSON',
      `${TOPPER}&${WINDOW}`,
      (_, __, response) => response.writeHead(200).end('<html>Sign in</html>'),
      'http_status: legacy 200 with a body that is not JSON: "<html>Sign in</html>", ours 200',
    ],
    [
      'a body without an end',
      `${TOPPER}&${WINDOW}`,
      (_, __, response) => {
        Readable.from(endless())
          .pipe(response.writeHead(200))
          .on('error', () => undefined);
      },
      'http_status: legacy 200 with a body of more than 67108864 bytes, ours 200',
    ],
    [
      'a redirect',
      `${TOPPER}&${WINDOW}`,
      (_, __, response) => response.writeHead(302, { location: '/login' }).end(),
      'http_status: legacy 302, a redirect to /login: give the base of that address, ours 200',
    ],
    [
      'a connection that is cut',
      `${TOPPER}&${WINDOW}`,
      (_, request) => request.socket.destroy(),
      'http_status: legacy no answer: other side closed, ours 200',
    ],
    [
      'a flag of a slice',
      SLICES,
      withText((text) => text.replace('"available":true', '"available":false')),
      'slices.available of slice-20240715-0000: legacy false, ours true',
    ],
    [
      'a unit of a meter',
      `${GROUPS}&get_meter_info=true`,
      withText((text) => text.replace(/"units":"[^"]*"/, '"units":"bits"')),
      `group_details.meters.units of ${guidOf(1)} 0: legacy "bits", ours "bytes"`,
    ],
  ];

  it.each(DEVIATIONS)('reports %s', async (_, request, deviation, ...lines) => {
    legacy.deviate(deviation);
    const { status, out, err } = await parity([request]);
    expect(status).toBe(1);
    expect(out).toEqual([
      ...lines.map((line) => `line 1, ${shown(request)}: ${line}`),
      'replayed 1 request: 0 answered the same',
    ]);
    expect(err).toEqual([
      'countergraph: answers to 1 of 1 request differ, in ' +
        `${lines.length} field${lines.length === 1 ? '' : 's'}`,
    ]);
  });

  it('does not take the same fault of both services for the same answer', async () => {
    legacy.deviate((_, __, response) => response.writeHead(502).end('Bad gateway'));
    const request = `${TOPPER}&${WINDOW}`;
    const { status, out } = await parity([request], [...AS_ADA, '--ours', legacy.url]);
    const fault = '502 with a body that is not JSON: "Bad gateway"';
    expect([status, out]).toEqual([
      1,
      [
        `line 1, ${shown(request)}: http_status: legacy ${fault}, ours ${fault}`,
        'replayed 1 request: 0 answered the same',
      ],
    ]);
  });

  it('fails if neither service accepts the credentials of any request', async () => {
    const wrong = ['--user', ADA.username, '--legacy-token', 'wrong', '--token', 'wrong'];
    expect(await parity(REQUESTS, wrong)).toEqual({
      status: 1,
      out: ['replayed 3 requests: 3 answered the same, of them 3 refused by both services'],
      err: [
        'countergraph: no answer was compared: both services refused the credentials of every ' +
          'request: check --user, --legacy-token and --token, or the credentials in the requests',
      ],
    });
  });

  it('ends at once if a port is blocked', async () => {
    const { status, out, err } = await parity(REQUESTS, [...AS_ADA, '--ours', 'http://[::1]:25']);
    expect([status, out]).toEqual([1, []]);
    expect(err.join()).toContain('http://[::1]:25 cannot be reached (bad port): is it started');
  });

  it('ignores what depends on the host, unless it is strict', async () => {
    legacy.deviate(
      withText((text) =>
        text
          .replace(/"disk_size":\d+/, '"disk_size":1')
          .replace(/"total_size":\d+/, '"total_size":1'),
      ),
    );
    expect((await parity(REQUESTS)).status).toBe(0);
    const { out } = await parity(REQUESTS, [...AS_ADA, '--strict']);
    expect(out.some((line) => line.includes('slices.disk_size of'))).toBe(true);
  });

  it('ignores the fields of --ignore, and everything below them', async () => {
    legacy.deviate(
      withText((text) =>
        text.replace('"label":"b"', '"label":"x"').replace('"units":"bytes"', '"units":"y"'),
      ),
    );
    expect((await parity(REQUESTS)).out).toHaveLength(3);
    expect((await parity(REQUESTS, [...AS_ADA, '--ignore', 'keys.label'])).out).toHaveLength(2);
    const all = ['--ignore', 'keys.label', '--ignore', 'group_details.meters'];
    expect((await parity(REQUESTS, [...AS_ADA, ...all])).status).toBe(0);
  });

  it.each(['keys[0].label', 'keys.', '.label', ''])('refuses --ignore %j', async (field) => {
    const { status, err } = await parity(REQUESTS, [...AS_ADA, '--ignore', field]);
    expect(status).toBe(2);
    expect(err.join(' ')).toContain('It must be a dotted path without indexes');
  });

  it('asks both for the same window if a request names none, and reports empty answers', async () => {
    const { out } = await parity([TOPPER, `${TOPPER}&recentsecs=`, `${TOPPER}&recentsecs=60`]);
    expect(out).toEqual([
      'replayed 3 requests: 3 answered the same, of them 2 toppers without keys in both',
    ]);
    const [first, second, recent] = legacy.asked.map(({ searchParams }) => searchParams);
    const from = Number(first?.get('window_fromts'));
    expect(from % 86_400).toBe(0);
    expect(Number(first?.get('window_tots'))).toBeGreaterThan(from);
    expect(second?.get('window_tots')).toBe(first?.get('window_tots'));
    expect(recent?.has('window_fromts')).toBe(false);
  });

  it('takes the credentials of the requests if it is given none, and shows no token', async () => {
    const own = `&username=${ADA.username}&api_token=${ADA.token}`;
    legacy.deviate(withText((text) => text.replace('"label":"b"', '"label":"x"')));
    const { status, out } = await parity([`${TOPPER}&${WINDOW}${own}`, SLICES], []);
    expect(status).toBe(1);
    expect(out).toEqual([
      `line 1, ${shown(`${TOPPER}&${WINDOW}`)}: keys.label of b: legacy "x", ours "b"`,
      'replayed 2 requests: 1 answered the same, of them 1 refused by both services',
    ]);
    expect(out.join()).not.toContain(ADA.token);
  });

  it('reads access logs, even compressed, sends each request once, and reports what it left out', async () => {
    const logged = (method: string, target: string) =>
      `10.0.0.1 - - [24/Nov/2026:10:00:00 +0000] "${method} ${target} HTTP/1.1" 200 5 "-" "x"`;
    const lines = [
      logged('GET', SLICES),
      logged('GET', '/index.html'),
      logged('GET', SLICES),
      logged('POST', '/api/topper/topper_request'),
      logged('GET', '/style.css'),
    ];
    const { status, out, err } = await parity(gzipSync(lines.join('\n')));
    expect(status).toBe(0);
    expect(out).toEqual(['replayed 1 request: 1 answered the same']);
    expect(err).toEqual([
      '2 lines left out, first line 2: none of the three endpoints',
      '1 line left out, first line 4: POST, and no GET',
      '1 request left out that repeat earlier lines',
    ]);
  });

  it('prints lines of JSON', async () => {
    legacy.deviate(withText((text) => text.replace('"label":"b"', '"label":"x"')));
    const { out } = await parity([`${TOPPER}&${WINDOW}`], [...AS_ADA, '--json']);
    expect(out.map((line) => JSON.parse(line))).toEqual([
      {
        line: 1,
        request: shown(`${TOPPER}&${WINDOW}`),
        field: 'keys.label',
        at: 'b',
        legacy: '"x"',
        ours: '"b"',
      },
      { requests: 1, differing: 1, differences: 1, refused: 0, withoutKeys: 0 },
    ]);
  });

  it('takes tokens from the environment', async () => {
    vi.stubEnv('COUNTERGRAPH_PARITY_TOKEN', ADA.token);
    vi.stubEnv('COUNTERGRAPH_PARITY_LEGACY_TOKEN', ADA.token);
    try {
      const { status, out } = await parity([SLICES], ['--user', ADA.username]);
      expect([status, out]).toEqual([0, ['replayed 1 request: 1 answered the same']]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('uses the service of the settings if --ours is not given', async () => {
    const { hostname, port } = new URL(lab.url);
    vi.stubEnv('HOST', hostname);
    vi.stubEnv('PORT', port);
    try {
      await writeFile(join(folder, 'requests'), SLICES);
      const targets = ['--legacy', legacy.url, '--requests', join(folder, 'requests')];
      expect((await runCommand(['parity', ...targets, ...AS_ADA])).status).toBe(0);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('ends at once if a service cannot be reached', async () => {
    await legacy.close();
    const { status, err } = await parity(REQUESTS);
    expect(status).toBe(1);
    expect(err).toEqual([
      expect.stringMatching(
        /^countergraph: http:\/\/127\.0\.0\.1:\d+ cannot be reached \(connect ECONNREFUSED [^)]*\): is it started, and is the address right\?$/,
      ),
    ]);
    legacy = await startStandIn(lab.url);
  });

  it.each([
    [['--user', 'ada', '--token', 'x'], '--user must come with --legacy-token and --token'],
    [['--token', 'x'], '--legacy-token and --token must come with --user, which is missing'],
    [
      ['--legacy', 'old.example'],
      "option '--legacy <url>' argument 'old.example' is invalid. It must be an address such as https://legacy.example.com; see --help",
    ],
    [
      ['--ours', 'http://ada:secret@127.0.0.1/'],
      "option '--ours <url>' argument 'http://ada:secret@127.0.0.1/' is invalid. It must have no credentials, query or fragment; see --help",
    ],
    [['--requests', '/nowhere'], 'cannot read /nowhere: '],
  ])('refuses %j', async (options, message) => {
    const { status, err } = await parity([SLICES], options);
    expect(status).toBe(2);
    expect(err.join()).toContain(`countergraph: ${message}`);
  });

  it('refuses a file without requests', async () => {
    const { status, err } = await parity(['/index.html', '']);
    expect(status).toBe(2);
    expect(err).toEqual([
      '1 line left out, first line 1: none of the three endpoints',
      expect.stringMatching(
        /has no legacy request: each line must be an address, a path or a query/,
      ),
    ]);
  });
});
