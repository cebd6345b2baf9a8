import { describe, expect, it } from 'vitest';
import { IMPORT_FORMATS, type ImportFormat } from '../../../domain/import-formats.ts';
import { refuseForeign } from '../../../ingest/files/foreign-content.ts';
import { readContent } from '../../../ingest/files/read-content.ts';
import { textSource } from '../text-source.ts';

/** The content that passes, if it arrives in blocks of `blockBytes`. */
async function passedOn(
  content: string | Buffer,
  blockBytes: number,
  name = 'flows',
  format: ImportFormat = 'zeek',
): Promise<string> {
  const source = textSource(content, { name, blockBytes });
  const blocks: Buffer[] = [];
  for await (const block of refuseForeign({ source, format }, readContent(source)))
    blocks.push(block);
  return Buffer.concat(blocks).toString('latin1');
}

const NFDUMP =
  'import the output of `TZ=UTC nfdump -r FILE -o ' +
  'csv:%ts,%te,%td,%pr,%sa,%sp,%da,%dp,%ipkt,%ibyt,%opkt,%obyt,%fl` ' +
  '(before nfdump 1.7.5 `-o csv`), with --format nfdump --time-zone UTC';

/** As nfdump 1.7.1 writes it. */
const NFDUMP_JSON = '[\n{\n\t"type" : "FLOW",\n\t"sampled" : 0,\n\t"export_sysid" : 0\n}\n]\n';
const NFDUMP_LINES = '{"type":"FLOW","sampled":0,"first":"2023-11-14T22:18:30.500"}\n';

/** As pmacctd 1.7.7 writes it with its plugin print. */
const PMACCT =
  '{"event_type": "purge", "ip_src": "10.0.0.1", "ip_dst": "198.51.100.7", "port_src": 51000, ' +
  '"port_dst": 443, "ip_proto": "tcp", "timestamp_start": "2023-11-14 22:18:29.500000", ' +
  '"timestamp_end": "0000-00-00 00:00:00.000000", "packets": 2, "bytes": 80}\n';

describe.each([1, 7, 65_536])('what cannot be imported, in blocks of %d bytes,', (blockBytes) => {
  it.each<[string, string | Buffer, string]>([
    ['a file of nfcapd', Buffer.from([0x0c, 0xa5, 2, 0, 0x0a, 1]), `file of nfcapd: ${NFDUMP}`],
    ['a file of nfcapd of another byte order', Buffer.from([0xa5, 0x0c, 0, 2]), 'file of nfcapd'],
    ['JSON of nfdump', NFDUMP_JSON, `JSON of nfdump (-o json): ${NFDUMP}`],
    ['lines of JSON of nfdump', NFDUMP_LINES, 'JSON of nfdump'],
    ['JSON of nfdump without flows', '[\nNo matching flows\n]\n', 'JSON of nfdump'],
    ['lines of pmacct', PMACCT, 'these are lines of pmacct: import them with --format pmacct'],
    ['lines of pmacct without a type', '{"stamp_inserted":"x","packets":1}', 'lines of pmacct'],
  ])('is refused with advice: %s', async (_, content, reason) => {
    await expect(passedOn(content, blockBytes, 'standard input')).rejects.toThrow(reason);
  });

  it.each([
    ['nothing', ''],
    ['CSV of nfdump', 'ts,te,td\n1,2,3\n'],
    ['a line of another tool', '{"type":"NETFLOW_V5","source":"10.0.0.1"}\n'],
    [
      'a sample with an attribute named like a field of pmacct',
      '{"group":"{X}","attributes":{"ip_src":"x"}}\n',
    ],
    ['a log of Zeek', '#separator \\x09\n#path\tconn\n'],
    ['text without a line break', '{"group"'],
    ['only line breaks', '\n\n'],
    ['a line of JSON that is damaged', '{"ip_src": \n'],
    ['CSV of nfdump without flows, and without a header', 'No matching flows\n'],
  ])('does not include this, which passes unchanged: %s', async (_, content) => {
    expect(await passedOn(content, blockBytes)).toBe(content);
  });
});

/** A line of each format that has lines of JSON, and the name of such lines in messages. */
const JSON_LINES = {
  pmacct: ['lines of pmacct', PMACCT],
  goflow2: ['lines of goflow2', '{"type":"SFLOW_5","time_received_ns":1,"src_addr":"10.0.0.1"}\n'],
  zeek: ['lines of a log of Zeek', '{"ts":1.5,"id.orig_h":"10.0.0.1","id.resp_h":"10.0.0.2"}\n'],
  samples: ['samples', '{"group":"{X}","key":"ip_src","ts":1,"values":{"0":1}}\n'],
} as const;

const JSON_FORMATS = Object.keys(JSON_LINES) as (keyof typeof JSON_LINES)[];

describe.each(JSON_FORMATS)('JSON lines of the format %s', (format) => {
  const [name, line] = JSON_LINES[format];

  it('pass if their format is given', async () => {
    expect(await passedOn(line, 7, 'flows', format)).toBe(line);
  });

  it.each(IMPORT_FORMATS.filter((other) => other !== format))(
    'are refused as %s, with the advice to give their own format',
    async (other) => {
      await expect(passedOn(line, 7, 'flows', other)).rejects.toThrow(
        `flows: these are ${name}: import them with --format ${format}`,
      );
    },
  );
});

it('a line that fits several formats passes as each of them', async () => {
  const both = '{"src_addr":"10.0.0.1","ip_src":"10.0.0.1"}\n';
  expect(await passedOn(both, 7, 'flows', 'goflow2')).toBe(both);
  expect(await passedOn(both, 7, 'flows', 'pmacct')).toBe(both);
});

it('lines of goflow2 version 1 are recognised', async () => {
  const line = '{"Type":"NETFLOW_V5","TimeReceived":1,"SrcAddr":"10.0.0.1"}\n';
  await expect(passedOn(line, 7, 'flows', 'pmacct')).rejects.toThrow('--format goflow2');
});

it.each([
  ['of letters', 'x'],
  ['of spaces', ' '],
  ['of brackets', '['],
  ['of zeros', '\0'],
])('long text without a line break passes: %s', async (_, letter) => {
  const content = letter.repeat(1 << 20);
  expect((await passedOn(content, 1 << 18)) === content).toBe(true);
});

it('the advice for a file of nfcapd has its name in the command', async () => {
  const path = "/var/cache/nfdump/it's/nfcapd.202311142218";
  await expect(passedOn(Buffer.from([0x0c, 0xa5, 2, 0]), 9, path)).rejects.toThrow(
    "nfdump -r '/var/cache/nfdump/it'\\''s/nfcapd.202311142218' -o csv:",
  );
});
