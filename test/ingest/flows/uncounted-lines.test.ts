import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FlowFormat } from '../../../ingest/formats/flow-formats.ts';
import { skippedText } from '../../../ingest/lines/skipped-lines.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { startFeed } from '../../support/lab/feed-lab.ts';
import { runOnDatabase } from '../../support/programs/run-command.ts';
import { CONN_HEADER, importText, NOTHING, sums, traces } from '../import-support.ts';
import { textSource } from '../text-source.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const GOFLOW2 = {
  time_flow_start_ms: 1_700_000_100_000,
  bytes: 100,
  packets: 1,
  src_addr: '10.0.0.1',
  dst_addr: '198.51.100.7',
  etype: 'IPv4',
  proto: 'ICMP',
};
const PMACCT = { ip_src: '10.0.0.1', stamp_inserted: '2023-11-14 22:15:00' };
const NFDUMP_HEADER = 'ts,te,td,sa,da,sp,dp,pr,ipkt,ibyt,opkt,obyt';

const json = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const nfdump = (...rows: readonly string[]): string => [NFDUMP_HEADER, ...rows, ''].join('\n');

const flowRow = (at: string, protocol = 'ICMP') =>
  `${at},${at},0.000,10.0.0.1,198.51.100.7,0,0,${protocol},1,100,0,0`;
const EVENT_ROW =
  '1970-01-01 00:00:00,1970-01-01 00:00:00,0.000,10.0.0.1,198.51.100.7,1,2,TCP,0,0,0,0';

type Way = 'a file' | 'a pipe' | 'a feed';

/** Imports lines; returns the number of flows and what was skipped. */
async function take(way: Way, format: FlowFormat, lines: string, allowEmpty = false) {
  const options = { databaseUrl: database.url, format, allowEmpty };
  if (way === 'a feed') {
    const feed = startFeed(options);
    feed.write(lines);
    feed.end();
    const { flows, skipped } = await feed.done;
    return { flows, skipped };
  }
  const source = textSource(lines, { name: 'flows', isRepeatable: way === 'a file' });
  const { records, skipped } = await importText(source, options);
  return { flows: records, skipped };
}

const NONE = { events: 0, tunnelLines: 0, notIp: 0 };

describe('lines that are not counted', () => {
  it.each<[Way, FlowFormat, string, object]>([
    [
      'a file',
      'goflow2',
      json({ ...GOFLOW2, etype: 'ARP', src_addr: '', dst_addr: '' }, GOFLOW2),
      { notIp: 1 },
    ],
    [
      'a pipe',
      'goflow2',
      json(
        { ...GOFLOW2, time_flow_start_ms: 0, time_received_ns: 1, bytes: 0, packets: 0 },
        GOFLOW2,
      ),
      { events: 1 },
    ],
    [
      'a feed',
      'pmacct',
      json({ event_type: 'purge_init' }, { ...PMACCT, nat_event: 1 }, { ...PMACCT, bytes: 100 }),
      { events: 1 },
    ],
    [
      'a file',
      'nfdump',
      nfdump(EVENT_ROW, EVENT_ROW, flowRow('2023-11-14 22:15:00')),
      { events: 2 },
    ],
    [
      'a pipe',
      'nfdump',
      nfdump(flowRow('2023-11-14 22:15:00', 'GRE'), flowRow('2023-11-14 22:15:00')),
      { tunnelLines: 1 },
    ],
    // A line that may be a tunnel's, but is the last.
    ['a feed', 'nfdump', nfdump(flowRow('2023-11-14 22:15:00', 'GRE')), {}],
  ])('are reported, by reason: %s of %s %#', async (way, format, lines, skipped) => {
    expect(await take(way, format, lines)).toEqual({ flows: 1, skipped: { ...NONE, ...skipped } });
    expect((await sums(database.url))['Aggregates TOTALBW 1']).toBe('100');
  });

  it.each<[Way, FlowFormat, string, string]>([
    [
      'a file',
      'goflow2',
      json({ etype: 'ARP', src_addr: '' }, { etype: '' }),
      '2 lines skipped (2 not IP)',
    ],
    ['a pipe', 'pmacct', json({ ...PMACCT, nat_event: 1 }), '1 line skipped (1 event)'],
    ['a feed', 'nfdump', nfdump(EVENT_ROW, 'Summary'), '1 line skipped (1 event)'],
  ])(
    'are an error if there are no others, unless allowed: %s of %s',
    async (way, format, lines, text) => {
      await expect(take(way, format, lines)).rejects.toThrow(`: nothing was counted, ${text}: `);
      await expect(take(way, format, lines)).rejects.toThrow('--allow-empty accepts');
      expect(await traces(database.url)).toEqual(NOTHING);
      expect(await take(way, format, lines, true)).toMatchObject({ flows: 0 });
    },
  );

  it.each<[Way, FlowFormat, string]>([
    ['a file', 'goflow2', ''],
    ['a pipe', 'goflow2', '\n\n'],
    ['a feed', 'pmacct', json({ event_type: 'purge_init' }, { event_type: 'purge_close' })],
    ['a file', 'zeek', `${CONN_HEADER}\n#close\tnow\n`],
  ])('are no error if they have no records: %s of %s %j', async (way, format, lines) => {
    expect(await take(way, format, lines)).toEqual({ flows: 0, skipped: NONE });
  });
});

describe('the result of an import', () => {
  let folder: string;

  beforeEach(async () => {
    vi.stubEnv('DATABASE_URL', database.url);
    folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  async function run(format: FlowFormat, lines: string, ...options: string[]) {
    const file = join(folder, 'flows');
    await writeFile(file, lines);
    return runOnDatabase(['import', '--context', 'lab', '--format', format, ...options, file]);
  }

  it('says how many lines are not counted, and why', async () => {
    const lines = nfdump(EVENT_ROW, flowRow('2023-11-14 22:15:00'), 'x');
    const { status, out } = await run('nfdump', lines, '--skip-bad-lines');
    expect([status, out]).toEqual([
      0,
      [
        expect.stringContaining(
          ': 1 flow from 4 lines, 1 line skipped (1 event), 1 bad line skipped, ',
        ),
      ],
    ]);
    const { out: printed } = await run('nfdump', lines, '--skip-bad-lines', '--again', '--json');
    expect(JSON.parse(printed[0] ?? '')).toMatchObject({ skipped: { ...NONE, events: 1 } });
  });

  it('is a failure if nothing is counted, and says why', async () => {
    const lines = json({ etype: 'ARP' });
    const { status, out, err } = await run('goflow2', lines);
    expect([status, out, err]).toEqual([
      1,
      [],
      [expect.stringMatching(/flows: nothing was counted, 1 line skipped \(1 not IP\): check/)],
    ]);
    expect(await run('goflow2', lines, '--allow-empty')).toMatchObject({ status: 0, err: [] });
    const bad = await run('goflow2', `${lines}x\n`, '--allow-empty', '--skip-bad-lines');
    expect(bad.status).toBe(1);
    expect(bad.err.at(-1)).toContain(
      'bad lines that were skipped: 1, the first at line 2 ' +
        '(it must be a JSON object, got "x"), and others: 1 line skipped (1 not IP): check',
    );
  });

  it('names the columns that an output of nfdump lacks, once', async () => {
    const half = 'ts,td,sa,da,dp,pr,ipkt,ibyt\n';
    const row = '2023-11-14 22:15:00,0.000,10.0.0.1,198.51.100.7,0,ICMP,1,100\n';
    const { status, err } = await run('nfdump', half + row + half + row);
    expect([status, err]).toEqual([
      0,
      [
        expect.stringMatching(
          /flows: the header has no column outPackets and no column outBytes: .* %opkt,%obyt: -o csv:/,
        ),
      ],
    ]);
  });
});

it('reasons are counted in words', () => {
  expect(skippedText(NONE)).toBeNull();
  expect(skippedText({ events: 1, tunnelLines: 1, notIp: 0 })).toBe(
    '2 lines skipped (1 event, 1 tunnel line)',
  );
  expect(skippedText({ events: 1200, tunnelLines: 2, notIp: 3 })).toBe(
    '1,205 lines skipped (1,200 events, 2 tunnel lines, 3 not IP)',
  );
});
