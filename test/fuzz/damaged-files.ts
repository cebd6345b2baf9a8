import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { GAUGES, HOSTS, NOW } from '../ingest/import-support.ts';

type Damage = (file: Buffer) => Buffer;

/** A position in a file, as a fraction of its length. */
const place = fc.double({ min: 0, max: 1, noNaN: true });

const at = (file: Buffer, where: number): number => Math.floor(where * file.length);

const splice = (file: Buffer, start: number, end: number, piece: Buffer): Buffer =>
  Buffer.concat([file.subarray(0, start), piece, file.subarray(end)]);

const piece = fc
  .oneof(
    fc.constantFrom('\0', '\n', '\r\n', '\t', ',', '"', '{', '}', '\\', '#', '-', ' ', '\u{FEFF}'),
    fc.constantFrom('null', 'NaN', '1e400', '-1', '0x1', '1e3', '1.5', '__proto__', '9'.repeat(30)),
    fc.constantFrom('9223372036854775807', '9223372036854775808', '-9223372036854775808'),
    fc.constantFrom('"values":{"0":1},', '"__proto__":{"a":1},', '"attributes":{"a":"\0"},'),
  )
  .map((text) => Buffer.from(text));

/** Bytes that are invalid in UTF-8, or invalid in most positions. */
const noText = fc
  .constantFrom([0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf8, 0x88], [0xc3], [0x80])
  .map((bytes) => Buffer.from(bytes));

const damage: fc.Arbitrary<Damage> = fc.oneof(
  place.map(
    (where): Damage =>
      (file) =>
        file.subarray(0, at(file, where)),
  ),
  fc.tuple(place, fc.nat({ max: 255 })).map(
    ([where, byte]): Damage =>
      (file) => {
        const start = at(file, where);
        return splice(file, start, start + 1, Buffer.of(byte));
      },
  ),
  fc.tuple(place, fc.oneof(piece, noText)).map(
    ([where, bytes]): Damage =>
      (file) => {
        const start = at(file, where);
        return splice(file, start, start, bytes);
      },
  ),
  fc.tuple(place, fc.nat({ max: 40 })).map(
    ([where, length]): Damage =>
      (file) => {
        const start = at(file, where);
        return splice(file, start, start + length, Buffer.alloc(0));
      },
  ),
  // Replaces a number.
  fc.tuple(place, piece).map(
    ([where, bytes]): Damage =>
      (file) => {
        const found = /\d+(\.\d+)?/.exec(file.toString('latin1').slice(at(file, where)));
        if (!found) return file;
        const start = at(file, where) + found.index;
        return splice(file, start, start + found[0].length, bytes);
      },
  ),
  swapped('\n'),
  swapped(/([\t,])/),
);

/** Swaps two parts of the file. */
function swapped(separator: string | RegExp): fc.Arbitrary<Damage> {
  return fc.tuple(place, place).map(
    ([one, other]): Damage =>
      (file) => {
        const parts = file.toString('latin1').split(separator);
        const [i, j] = [one, other].map((where) => 2 * Math.floor((where * parts.length) / 2));
        const swap = parts.map((part, k) =>
          k === i ? parts[j ?? 0] : k === j ? parts[i ?? 0] : part,
        );
        return Buffer.from(swap.join(separator === '\n' ? '\n' : ''), 'latin1');
      },
  );
}

export type DamagedFile = { readonly content: Buffer; readonly skipBadLines: boolean };

/** A slightly damaged file. If it is compressed, the result may be damaged as well. */
export const damaged = (file: fc.Arbitrary<string>): fc.Arbitrary<DamagedFile> =>
  fc
    .record({
      file,
      before: fc.array(damage, { maxLength: 3 }),
      isPacked: fc.nat({ max: 3 }).map((n) => n === 0),
      after: fc.array(damage, { maxLength: 1 }),
      skipBadLines: fc.nat({ max: 3 }).map((n) => n === 0),
    })
    .map(({ file: text, before, isPacked, after, skipBadLines }) => {
      const plain = before.reduce<Buffer>((bytes, apply) => apply(bytes), Buffer.from(text));
      if (!isPacked) return { content: plain, skipBadLines };
      const content = after.reduce<Buffer>((bytes, apply) => apply(bytes), gzipSync(plain));
      return { content, skipBadLines };
    });

const ts = fc.integer({ min: NOW - 4000, max: NOW });

const key = fc.constantFrom('a', 'b', 'é', 'x\\\\y', '\u{1F600}', 'c d', 'k1', 'k2');

const value = fc.oneof(fc.nat({ max: 1000 }), fc.constantFrom(0, '9223372036854775807'));

const sample = fc
  .record(
    {
      group: fc.constantFrom(HOSTS, GAUGES),
      key,
      ts,
      values: fc.dictionary(fc.constantFrom('0', '1'), value, { minKeys: 1 }),
      count: fc.integer({ min: 1, max: 9 }),
      label: key,
      probe: fc.constantFrom('p1', 'p2'),
      attributes: fc.dictionary(key, key, { maxKeys: 2 }),
    },
    { requiredKeys: ['group', 'key', 'ts', 'values'], noNullPrototype: true },
  )
  // JSON.stringify cannot write the largest integers: they are strings, so remove the quotes.
  .map((line) => JSON.stringify(line).replaceAll('"9223372036854775807"', '9223372036854775807'));

const lines = (line: fc.Arbitrary<string>) => fc.array(line, { minLength: 1, maxLength: 12 });

export const sampleFiles = lines(sample).map((all) => `${all.join('\n')}\n`);

const address = fc.constantFrom('10.0.0.1', '10.0.0.2', '198.51.100.7', '2001:db8::7', 'fe80::9');

const amount = fc.oneof(fc.nat({ max: 5000 }).map(String), fc.constantFrom('-', '0'));

const flow = fc.record({
  ts: fc.tuple(ts, fc.nat({ max: 999_999 })).map(([at, rest]) => `${at}.${rest}`),
  'id.orig_h': address,
  'id.resp_h': address,
  'id.resp_p': fc.integer({ min: 0, max: 65_535 }).map(String),
  proto: fc.constantFrom('tcp', 'udp', 'icmp'),
  duration: fc.constantFrom('-', '0', '0.000001', '12.5', '700.25'),
  orig_ip_bytes: amount,
  resp_ip_bytes: amount,
});

const FIELDS = [
  'ts',
  'id.orig_h',
  'id.resp_h',
  'id.resp_p',
  'proto',
  'duration',
  'orig_ip_bytes',
  'resp_ip_bytes',
] as const;

export const zeekTables = fc.array(flow, { minLength: 1, maxLength: 8 }).map((flows) => {
  const rows = flows.map((each) => FIELDS.map((field) => each[field]).join('\t'));
  return [`#separator \\x09`, `#fields\t${FIELDS.join('\t')}`, ...rows, ''].join('\n');
});

const NUMBERS = ['ts', 'id.resp_p', 'duration', 'orig_ip_bytes', 'resp_ip_bytes'];

export const zeekObjects = fc.array(flow, { minLength: 1, maxLength: 8 }).map((flows) => {
  const rows = flows.map((each) => {
    const set = FIELDS.filter((field) => each[field] !== '-').map((field) => {
      const text = each[field];
      return `"${field}":${NUMBERS.includes(field) ? text : JSON.stringify(text)}`;
    });
    return `{${set.join(',')}}\n`;
  });
  return rows.join('');
});

const dnsName = fc.constantFrom(
  'www.example.com',
  'a.example.',
  'é.example',
  '-',
  '(empty)',
  '\\x00.example',
  'x'.repeat(300),
);

const dnsAnswer = fc
  .array(fc.oneof(address, fc.constantFrom('alias.example', '-', '\\x2c')), { maxLength: 3 })
  .map((answers) => answers.join(',') || '-');

const dnsAnswers = fc.array(
  fc.record({
    ts: fc.oneof(
      fc.tuple(ts, fc.nat({ max: 999_999 })).map(([at, rest]) => `${at}.${rest}`),
      fc.constantFrom('2024-07-15T10:00:00.000000Z', '1.0', '0'),
    ),
    query: dnsName,
    qtype_name: fc.constantFrom('A', 'AAAA', 'PTR', '-'),
    answers: dnsAnswer,
  }),
  { minLength: 1, maxLength: 12 },
);

const DNS_FIELDS = ['ts', 'query', 'qtype_name', 'answers'] as const;

export const dnsTables = dnsAnswers.map((all) => {
  const rows = all.map((each) => DNS_FIELDS.map((field) => each[field]).join('\t'));
  return [`#separator \\x09`, `#fields\t${DNS_FIELDS.join('\t')}`, ...rows, ''].join('\n');
});

export const dnsObjects = dnsAnswers.map((all) =>
  all
    .map(({ answers, ...each }) => `${JSON.stringify({ ...each, answers: answers.split(',') })}\n`)
    .join(''),
);

const NFDUMP_COLUMNS = ['ts', 'td', 'sa', 'da', 'sp', 'dp', 'pr', 'ipkt', 'ibyt', 'opkt', 'obyt'];

const count = fc.oneof(fc.nat({ max: 5000 }).map(String), fc.constantFrom('9223372036854775807'));

const nfdumpLine = fc
  .tuple(
    ts.map((at) => new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' ')),
    fc.constantFrom('0.000', '12.500', '700.250'),
    ...([address, address] as const),
    fc.tuple(fc.nat({ max: 65_535 }), fc.nat({ max: 65_535 })).map((ports) => ports.join(',')),
    fc.constantFrom('TCP', 'UDP', 'ICMP', 'ICMP6', '47'),
    ...([amount, count, amount, amount] as const),
  )
  // Only Zeek has unset amounts.
  .map((values) => values.map((value) => (value === '-' ? '0' : value)).join(','));

export const nfdumpTables = fc
  .array(nfdumpLine, { minLength: 1, maxLength: 8 })
  .map((rows) =>
    [NFDUMP_COLUMNS.join(','), ...rows, 'Summary', 'flows,bytes', '1,2', ''].join('\n'),
  );

const goflow2Line = fc
  .record({
    at: ts,
    within: fc.nat({ max: 999_999_999 }).map((nanos) => String(nanos).padStart(9, '0')),
    seconds: fc.constantFrom(0, 12, 700),
    sampling_rate: fc.constantFrom(0, 1, 1000),
    bytes: count,
    src_addr: address,
    dst_addr: address,
    proto: fc.constantFrom('"TCP"', '"UDP"', '"ICMPv6"', '17', '""'),
    dst_port: fc.nat({ max: 65_535 }),
  })
  .map(
    ({ at, within, seconds, ...flow }) =>
      `{"time_received_ns":${at + seconds}${within},"sampling_rate":${flow.sampling_rate},` +
      `"time_flow_start_ns":${at}${within},"time_flow_end_ns":${at + seconds}${within},` +
      `"bytes":${flow.bytes},"packets":1,"src_addr":"${flow.src_addr}","etype":"IPv4",` +
      `"dst_addr":"${flow.dst_addr}","proto":${flow.proto},"dst_port":${flow.dst_port}}\n`,
  );

export const goflow2Files = fc
  .array(goflow2Line, { minLength: 1, maxLength: 8 })
  .map((rows) => rows.join(''));

const quoted = fc.constantFrom('a', '"a, b"', '"say ""hi"""', 'é', ' c ', '"two\nlines"', '');

export const labelFiles = lines(
  fc
    .tuple(key, quoted, fc.option(quoted, { nil: null }))
    .map((fields) => fields.filter((field) => field !== null).join(',')),
).map((all) => `${all.join('\n')}\n`);

export const addressLabelFiles = lines(
  fc
    .tuple(
      fc.oneof(address, fc.constantFrom('0A.00.00.01', '2001:DB8::7', '10.0.0.1/8', '')),
      quoted,
    )
    .map((fields) => fields.join(',')),
).map((all) => `${all.join('\n')}\n`);
