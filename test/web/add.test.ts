import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { IMPORT_FORMATS } from '../../domain/import-formats.ts';
import { linesFor, ROUTERS } from '../../web/src/data/add/router-lines.ts';
import {
  beginningOf,
  guessFormat,
  UPLOAD_FORMATS,
  type UploadFormat,
} from '../../web/src/data/add/upload-format.ts';
import { knownFile, reportWords, type UploadReport } from '../../web/src/data/add/upload-report.ts';

it('the page knows the formats that the server imports', () => {
  expect(UPLOAD_FORMATS.toSorted()).toEqual(IMPORT_FORMATS.toSorted());
});

describe('the format of a file is guessed', () => {
  it.each<[string, string, string, UploadFormat | null]>([
    ['from the first line of a Zeek log', 'x', '#separator \\x09\n#set_separator\t,', 'zeek'],
    ['from its header alone', 'x', '#fields\tts\tid.orig_h\n', 'zeek'],
    ['from its JSON', 'x', '{"ts":1,"uid":"C","id.orig_h":"10.0.0.1"}', 'zeek'],
    ['from its JSON with other separators', 'x', '{"id_orig_h":"10.0.0.1"}', 'zeek'],
    ['from the header of nfdump before 1.7.5', 'x', 'ts,te,td,sa,da,sp,dp,pr\n', 'nfdump'],
    ['from that since', 'x', 'firstSeen,lastSeen,duration,srcAddr\n', 'nfdump'],
    ['from columns in another order', 'x', 'pr,sa,ts\n', 'nfdump'],
    ['after a byte order mark and blank lines', 'x', '\ufeff\n\nts,te\n', 'nfdump'],
    ['from a line of goflow2', 'x', '{"type":"SFLOW_5","src_addr":"10.0.0.1"}', 'goflow2'],
    ['from one of its first version', 'x', '{"Type":"IPFIX","SrcAddr":"10.0.0.1"}', 'goflow2'],
    ['from a line of pmacct', 'x', '{"event_type": "purge", "ip_src": "10.0.0.1"}', 'pmacct'],
    ['from its marker', 'x', '{"event_type": "purge_init", "writer_pid": 1}', 'pmacct'],
    ['from a sample', 'x', '{"group": "{4CD7}", "key": "a", "values": {}}', 'samples'],
    ['from its name if nothing else tells', 'conn.12:00:00-13:00:00.log.gz', '', 'zeek'],
    ['from a shorter name', 'conn.log', '1\t2\t3', 'zeek'],
    ['from that of nfdump', 'nfdump-2026.txt', '', 'nfdump'],
    ['not from a similar name', 'connections.txt', 'a b c', null],
    ['not from other JSON', 'x.json', '{"a": 1}', null],
    ['not from nothing', 'x', '', null],
  ])('%s', (_, name, beginning, format) => {
    expect(guessFormat(name, beginning)).toBe(format);
  });
});

describe('the beginning of a file', () => {
  const LONG = 'ts,te,td\n'.repeat(100_000);

  it.each<[string, string | Buffer, string]>([
    ['is read as it is', LONG, 'ts,te'],
    ['is unpacked if it is gzipped', gzipSync(LONG), 'ts,te'],
    ['is unpacked if all of it is short', gzipSync('{"group"'), '{"group"'],
    ['is empty if the file is', '', ''],
    ['is empty if it is damaged', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9]), ''],
  ])('%s', async (_, content, expected) => {
    const beginning = await beginningOf(new Blob([content as BlobPart]));
    expect(beginning.slice(0, Math.max(1, expected.length))).toBe(expected);
  });
});

const REPORT: UploadReport = {
  source: 'a.log',
  context: 'lab',
  format: 'zeek',
  lines: 11,
  records: 10,
  from: 0,
  to: 60,
  skipped: { events: 0, tunnelLines: 0, notIp: 0 },
  badLines: { count: 0, named: [] },
  notes: [],
};

describe('the words for what was imported', () => {
  it.each<[Partial<UploadReport>, string]>([
    [{}, '10 flows from 11 lines.'],
    [{ format: 'samples', records: 1, lines: 1 }, '1 sample from 1 line.'],
    [{ knownLines: 7, records: 1, lines: 1 }, '1 flow from 1 new line.'],
    [
      { skipped: { events: 1, notIp: 2 } },
      '10 flows from 11 lines. Skipped: 1 event of a firewall or NAT gateway. Skipped: 2 frames of other protocols than IP.',
    ],
    [
      { badLines: { count: 1, named: [{ line: 3, reason: 'why' }] } },
      '10 flows from 11 lines. 1 line could not be read.',
    ],
    [
      { badLines: { count: 4, named: [3, 5].map((line) => ({ line, reason: 'why' })) } },
      '10 flows from 11 lines. 4 lines could not be read, of which 2 are below.',
    ],
  ])('of %o', (of, words) => {
    expect(reportWords({ ...REPORT, ...of }).join(' ')).toBe(words);
  });
});

describe('a file that was imported before', () => {
  const SAME = 'b.log: its content is in context lab already, imported at 2026-07-15 from a: b';
  const GROWN =
    'b.log: its beginning is in context lab already, imported at 2026-07-15 from a.log; the file has grown since';

  it.each([
    [`${SAME}: give again=true to count it again`, SAME, false],
    [
      `${GROWN}: give grown=true to count only what is new, or again=true to count all of it again`,
      GROWN,
      true,
    ],
    ['something else', 'something else', false],
  ])('%s', (said, message, hasGrown) => {
    expect(knownFile(`Nothing was imported again - ${said}`)).toEqual({ message, hasGrown });
  });
});

describe('the lines for routers', () => {
  const guide = readFileSync(join(projectRoot(), 'docs', 'how-to', 'collect.md'), 'utf8');

  it.each(ROUTERS.filter(({ name }) => !name.startsWith('OPNsense')))(
    'for $name are those of the how-to',
    ({ lines }) => {
      expect(guide).toContain(`\n${lines}\n`);
    },
  );

  it('name the host where the collector runs', () => {
    const [router] = ROUTERS;
    expect(router && linesFor(router, '192.0.2.2')).toContain('dst-address=192.0.2.2 port=2055');
  });
});
