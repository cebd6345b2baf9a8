import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importFile } from '../../../ingest/files/import-file.ts';
import {
  type DescribedAnswers,
  describedAnswers,
  type OpenApi,
} from '../../support/http/described-answers.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import {
  ADMIN,
  AT,
  connLog,
  EDITOR,
  startUploadLab,
  told,
  upload,
} from '../../support/lab/upload-lab.ts';
import { storedReadings } from '../../support/reference/stored-readings.ts';

let lab: TestService;
let described: DescribedAnswers;

beforeAll(async () => {
  lab = await startUploadLab();
  described = describedAnswers(JSON.parse((await lab.call('/api/openapi.json')).text) as OpenApi);
});

afterAll(() => lab.close());

const TIME = '2024-07-15 10:00:30';

/** A flow of 1,000 bytes from 10.1.0.1 to port 443, in each format. */
const FILES: readonly (readonly [string, string])[] = [
  ['zeek', connLog(1)],
  [
    'nfdump',
    `ts,te,td,sa,da,sp,dp,pr,ipkt,ibyt,opkt,obyt
${TIME},${TIME},0.000,10.0.0.1,198.51.100.7,51000,443,TCP,2,1000,0,0\n`,
  ],
  [
    'goflow2',
    `${JSON.stringify({
      time_flow_start_ns: AT * 1_000_000_000,
      time_flow_end_ns: AT * 1_000_000_000,
      bytes: 1000,
      packets: 2,
      src_addr: '10.0.0.1',
      dst_addr: '198.51.100.7',
      src_port: 51_000,
      dst_port: 443,
      etype: 'IPv4',
      proto: 'TCP',
    })}\n`,
  ],
  [
    'pmacct',
    `${JSON.stringify({
      event_type: 'purge',
      ip_src: '10.0.0.1',
      ip_dst: '198.51.100.7',
      port_src: 51_000,
      port_dst: 443,
      ip_proto: 'tcp',
      timestamp_start: `${TIME}.000000`,
      timestamp_end: `${TIME}.000000`,
      packets: 2,
      bytes: 1000,
    })}\n`,
  ],
];

describe('an uploaded file', () => {
  it.each(FILES)('of %s is imported, and its report is the answer', async (format, body) => {
    const name = `flows.${format}`;
    const answer = await upload(lab, body, { format, name, context: format }, { as: ADMIN });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(described.faults('/upload', 'POST', answer)).toEqual([]);
    expect(told(answer)).toEqual([
      200,
      {
        source: name,
        context: format,
        format,
        lines: format === 'zeek' || format === 'nfdump' ? 2 : 1,
        records: 1,
        from: AT - 30,
        to: AT + 30,
        readings: expect.any(Number),
        keys: expect.any(Number),
        keysAreExact: true,
        slices: 1,
        newSlices: 1,
        expired: null,
        skipped: { events: 0, tunnelLines: 0, notIp: 0 },
        badLines: { count: 0, named: [] },
        lost: { flows: 0, packets: 0, datagrams: 0 },
        exporters: [],
        ...(format === 'nfdump' && { twoWay: false }),
        notes: [],
        peakMemoryBytes: expect.any(Number),
        seconds: expect.any(Number),
        readingsPerSecond: expect.any(Number),
      },
    ]);
  });

  it('of samples is imported into groups that are declared', async () => {
    const guid = '{ABCDEF00-0000-4000-8000-000000000001}';
    const meters = [{ id: 0, type: 2, name: 'Bytes' }];
    const groups = [{ guid, name: 'Things', key_kind: 'text', bucket_size: 60, meters }];
    await lab.apply({ context: CONTEXT, groups });
    const line = { group: guid, key: 'k', ts: AT, values: { 0: 7 } };
    const answer = await upload(lab, JSON.stringify(line), { format: 'samples' });
    expect(told(answer)).toMatchObject([200, { source: 'uploaded file', records: 1, readings: 1 }]);
  });

  it('may be compressed with gzip, whatever its headers say', async () => {
    for (const [n, headers] of [{}, { 'content-encoding': 'gzip' }].entries()) {
      const answer = await upload(lab, gzipSync(connLog(3, 100 * (n + 1))), {}, { headers });
      expect(told(answer)).toMatchObject([200, { lines: 4, records: 3 }]);
    }
  });

  it('is imported with the parameters of its address, as by `import` with these options', async () => {
    const local = FILES[1]?.[1].replaceAll('10:00:30', '12:00:30') ?? '';
    const body = `${local}no flow at all\n`;
    const name = 'local.csv';
    const given = {
      format: 'nfdump',
      context: 'uploaded',
      time_zone: 'Europe/Berlin',
      service_port: 'destination',
      home: ['198.51.100.0/24', '192.0.2.1,192.0.2.2'],
      probe: 'p1',
      skip_bad_lines: 'true',
      name,
    };
    const answer = await upload(lab, body, given, { as: ADMIN });
    const badLines = { count: 1, named: [{ line: 3 }] };
    expect(told(answer)).toMatchObject([200, { from: AT - 30, to: AT + 30, badLines }]);
    await importFile({
      databaseUrl: lab.databaseUrl,
      context: 'imported',
      format: 'nfdump',
      timeZone: 'Europe/Berlin',
      servicePort: 'destination',
      home: ['198.51.100.0/24', '192.0.2.1', '192.0.2.2'],
      probe: 'p1',
      skipBadLines: true,
      source: {
        name,
        sizeBytes: null,
        isRepeatable: true,
        open: () => Readable.from([Buffer.from(body)]),
      },
      now: () => Math.floor(Date.now() / 1000),
    });
    const readings = async (context: string) =>
      (await storedReadings(lab.databaseUrl, context)).map(
        ({ group, key, probe, bucket, slot, value }) => [group, key, probe, bucket, slot, value],
      );
    expect(await readings('uploaded')).toEqual(await readings('imported'));
  });

  it('is recorded under its name, and tells who has sent it in log and audit', async () => {
    const name = 'recorded.log';
    await upload(lab, connLog(1, 300), { name });
    const { id: _, ...row } = (
      await lab.sql<{ id: string }>(
        `select audit_id as id, username, came_from, action, object, detail, is_logged from audit
         where detail ->> 'file' = $1`,
        [name],
      )
    )[0] ?? { id: '' };
    expect(row).toEqual({
      username: EDITOR.username,
      came_from: '127.0.0.1',
      action: 'file uploaded',
      object: CONTEXT,
      detail: { file: name, format: 'zeek', records: 1 },
      is_logged: true,
    });
    const line = lab
      .logText()
      .split('\n')
      .find((each) => each.includes('"mutation":"upload"') && each.includes(name));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      msg: 'a change was made',
      user: EDITOR.username,
      from: '127.0.0.1',
      context: CONTEXT,
      file: name,
      format: 'zeek',
    });
    const { text } = await lab.call('/metrics');
    expect(text).toMatch(/countergraph_changes_total\{mutation="upload",outcome="made"\} [1-9]/);
    const [again] = told(await upload(lab, connLog(1, 300), { name: 'copy.log' }));
    expect(again).toBe(409);
  });
});

/** What is wrong with a file, the parameters, and the answer. */
const REFUSED: readonly (readonly [string, string | Buffer, object, number, string])[] = [
  [
    'a line that cannot be read',
    `${connLog(2, 400)}nonsense\n`,
    { name: 'conn.log' },
    400,
    '^Nothing was imported - conn.log, line 4: it must have 8 fields, got 1$',
  ],
  [
    'the lines of another format',
    FILES[2]?.[1] ?? '',
    {},
    400,
    'Nothing was imported - uploaded file: these are lines of goflow2: import them with format=goflow2',
  ],
  [
    'a file of nfcapd',
    Buffer.from([0x0c, 0xa5, 1, 0]),
    {},
    400,
    'uploaded file: it is a binary file of nfcapd',
  ],
  ['gzip twice', gzipSync(gzipSync(connLog(1))), {}, 400, 'it is compressed with gzip twice'],
  ['damaged gzip', gzipSync(connLog(50)).subarray(0, 200), {}, 400, 'its gzip data is damaged'],
  [
    'nothing that nfdump has found',
    'No matching flows\n',
    { format: 'nfdump' },
    400,
    'allow_empty=true accepts an input',
  ],
  [
    'an option that means nothing for the format',
    connLog(1),
    { time_zone: 'UTC' },
    400,
    'Nothing was imported - time_zone is for nfdump and pmacct: other formats write times with their zone',
  ],
  [
    'options that contradict each other',
    connLog(1),
    { again: 'yes', if_new: '1' },
    400,
    'again=true and if_new=true contradict each other: give one of them',
  ],
  [
    'samples of a group that is not declared',
    '{"group":"{ABCDEF00-0000-4000-8000-000000000099}","key":"k","ts":1721037630,"values":{"0":1}}',
    { format: 'samples' },
    400,
    'uploaded file, line 1: ',
  ],
];

describe('nothing is imported of a file', () => {
  it.each(REFUSED)(
    'with %s, and the importer says why',
    async (_, body, given, status, message) => {
      const before = await lab.sql('select count(*) from imports');
      const answer = await upload(lab, body, { ...given });
      expect(described.faults('/upload', 'POST', answer)).toEqual([]);
      const [got, said] = told(answer);
      expect([got, said]).toEqual([status, expect.stringMatching(message)]);
      expect(await lab.sql('select count(*) from imports')).toEqual(before);
    },
  );

  it('that was imported before, unless a parameter says so', async () => {
    const file = connLog(2, 500);
    expect(told(await upload(lab, file, { name: 'a.log' }))).toMatchObject([200, { records: 2 }]);
    const known =
      /^Nothing was imported again - b\.log: its content is in context lab already, imported at \S+ from a\.log: give again=true to count it again$/;
    expect(told(await upload(lab, file, { name: 'b.log' }))).toEqual([
      409,
      expect.stringMatching(known),
    ]);
    const grown = `${file}${connLog(1, 502).split('\n')[1]}\n`;
    expect(told(await upload(lab, grown))).toEqual([
      409,
      expect.stringContaining(
        'give grown=true to count only what is new, or again=true to count all of it again',
      ),
    ]);
    const source = 'uploaded file';
    const context = CONTEXT;
    expect(told(await upload(lab, file, { if_new: 'true' }))).toEqual([
      200,
      { source, context, alreadyImported: true },
    ]);
    const same = await upload(lab, file, { grown: 'true' });
    expect(described.faults('/upload', 'POST', same)).toEqual([]);
    expect(told(same)).toEqual([200, { source, context, nothingNew: true }]);
    const newLine = await upload(lab, grown, { grown: 'true' });
    expect(described.faults('/upload', 'POST', newLine)).toEqual([]);
    expect(told(newLine)).toMatchObject([200, { records: 1, knownLines: 3 }]);
    expect(told(await upload(lab, file, { again: 'true' }))).toMatchObject([200, { records: 2 }]);
  });
});
