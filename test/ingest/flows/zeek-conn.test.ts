import { describe, expect, it } from 'vitest';
import { appPort, type Flow } from '../../../ingest/flows/flow.ts';
import { parseSeconds, parseTimestamp } from '../../../ingest/formats/fields/decimal-time.ts';
import { createZeekConnParser } from '../../../ingest/formats/zeek/zeek-conn.ts';
import { BadLine } from '../../../ingest/lines/bad-line.ts';

const FIELDS = [
  'ts',
  'id.orig_h',
  'id.orig_p',
  'id.resp_h',
  'id.resp_p',
  'proto',
  'duration',
  'orig_bytes',
  'resp_bytes',
  'orig_pkts',
  'orig_ip_bytes',
  'resp_pkts',
  'resp_ip_bytes',
];

const VALUES: Record<string, string> = {
  ts: '1258531221.486539',
  'id.orig_h': '192.168.1.102',
  'id.orig_p': '68',
  'id.resp_h': '192.168.1.1',
  'id.resp_p': '67',
  proto: 'udp',
  duration: '0.163820',
  orig_bytes: '301',
  resp_bytes: '300',
  orig_pkts: '1',
  orig_ip_bytes: '329',
  resp_pkts: '2',
  resp_ip_bytes: '328',
};

const FLOW: Flow = {
  startUs: 1_258_531_221_486_539,
  durationUs: 163_820,
  protocol: 17,
  ports: { source: null, destination: 67 },
  portRule: 'destination',
  originator: { address: 'C0.A8.01.66' as Flow['originator']['address'], bytes: 329, packets: 1 },
  responder: { address: 'C0.A8.01.01' as Flow['responder']['address'], bytes: 328, packets: 2 },
};

/** The flow of one TSV line with some values changed. */
function tsv(changes: Record<string, string>, fields = FIELDS): Flow | null {
  const parse = createZeekConnParser();
  parse('#separator \\x09');
  parse(`#fields\t${fields.join('\t')}`);
  return parse(fields.map((field) => changes[field] ?? VALUES[field]).join('\t'));
}

describe('a line of a TSV conn.log', () => {
  it('is read in the order of the header', () => {
    expect(tsv({})).toEqual(FLOW);
    expect(tsv({}, [...FIELDS].reverse())).toEqual(FLOW);
    expect(tsv({ uid: 'C1', service: 'dhcp' }, ['uid', ...FIELDS, 'service'])).toEqual(FLOW);
  });

  it('is read with the separators and markers of its header', () => {
    const parse = createZeekConnParser();
    parse('#separator \\x7c');
    parse('#unset_field|(none)');
    parse('#empty_field|EMPTY');
    parse(`#fields|${FIELDS.join('|')}`);
    const values = { ...VALUES, duration: '(none)', orig_ip_bytes: 'EMPTY' };
    const flow = parse(FIELDS.map((field) => values[field as keyof typeof values]).join('|'));
    expect(flow).toMatchObject({ durationUs: 0, originator: { bytes: 0 } });
  });

  it('belongs to the last header before it', () => {
    const parse = createZeekConnParser();
    for (const fields of [FIELDS, [...FIELDS].reverse()]) {
      expect(parse(`#fields\t${fields.join('\t')}`)).toBeNull();
      expect(parse('#types\ttime')).toBeNull();
      expect(parse(fields.map((field) => VALUES[field]).join('\t'))).toEqual(FLOW);
      expect(parse('#close\t2020-10-15-19-54-22')).toBeNull();
      expect(parse('')).toBeNull();
    }
  });

  it('counts unset values as 0', () => {
    const flow = tsv({ duration: '-', orig_pkts: '-', resp_ip_bytes: '-', resp_bytes: '77' });
    expect(flow).toMatchObject({ durationUs: 0, originator: { packets: 0, bytes: 329 } });
    expect(flow?.responder.bytes).toBe(0);
  });

  it('gives payload bytes if the log has no IP bytes', () => {
    const fields = FIELDS.filter((field) => !field.includes('ip_bytes'));
    expect(tsv({}, fields)).toMatchObject({
      originator: { bytes: 301 },
      responder: { bytes: 300 },
    });
  });

  it('keeps counts beyond 2^53 exactly', () => {
    expect(tsv({ orig_ip_bytes: '9223372036854775807' })?.originator.bytes).toBe(2n ** 63n - 1n);
  });

  it.each<[string, Record<string, string>, number, number | null]>([
    ['tcp', {}, 6, 67],
    ['udp', {}, 17, 67],
    ['sctp', {}, 132, 67],
    ['icmp', {}, 1, null],
    ['icmp', { 'id.orig_h': 'fe80::1', 'id.resp_h': 'ff02::1' }, 0x3a, null],
    ['gre', {}, 47, null],
    ['unknown_transport', {}, 255, null],
    ['unknown_transport', { ip_proto: '50' }, 50, null],
    ['tcp', { ip_proto: '6' }, 6, 67],
    ['icmp', { ip_proto: '-' }, 1, null],
  ])('of protocol %s with %j has protocol %d, port %s', (proto, changes, protocol, port) => {
    const fields = [...FIELDS, 'ip_proto'];
    const flow = tsv({ ip_proto: '-', ...changes, proto }, fields);
    expect([flow?.protocol, flow?.ports?.destination ?? null]).toEqual([protocol, port]);
  });

  it.each<[Record<string, string>, string]>([
    [{ ts: '-' }, 'ts is missing'],
    [{ ts: 'yesterday' }, 'ts must be a time in epoch seconds or ISO 8601, got "yesterday"'],
    [{ duration: '-1.5' }, 'duration must be a number of seconds, 0 or more, got "-1.5"'],
    [{ duration: 'long' }, 'duration must be a number of seconds, 0 or more, got "long"'],
    [{ 'id.orig_h': '192.168.1' }, 'id.orig_h must be an IP address, got "192.168.1"'],
    [{ 'id.resp_h': '1.2.3.256' }, 'id.resp_h must be an IP address, got "1.2.3.256"'],
    [{ 'id.resp_h': 'fe80::1%eth0' }, 'id.resp_h must be an IP address, got "fe80::1%eth0"'],
    [{ 'id.resp_h': '-' }, 'id.resp_h is missing'],
    [{ 'id.resp_p': '65536' }, 'id.resp_p must be an integer from 0 to 65535, got "65536"'],
    [{ 'id.resp_p': '-' }, 'id.resp_p is missing'],
    [{ 'id.resp_p': '80/tcp' }, 'id.resp_p must be an integer from 0 to 65535, got "80/tcp"'],
    [{ proto: 'ipx9' }, 'proto must be the name of an IP protocol, got "ipx9"'],
    [{ orig_ip_bytes: '-5' }, 'orig_ip_bytes must be an integer from 0 to 2^63-1, got "-5"'],
    [{ orig_ip_bytes: '1.5' }, 'orig_ip_bytes must be an integer from 0 to 2^63-1, got "1.5"'],
    [
      { orig_pkts: '9223372036854775808' },
      'orig_pkts must be an integer from 0 to 2^63-1, got "9223372036854775808"',
    ],
  ])('with %j is bad: %s', (changes, reason) => {
    expect(() => tsv(changes)).toThrow(new BadLine(reason));
  });

  it('is bad if it has more or fewer fields than the header', () => {
    const parse = createZeekConnParser();
    parse(`#fields\t${FIELDS.join('\t')}`);
    const line = FIELDS.map((field) => VALUES[field]).join('\t');
    expect(() => parse(line.slice(0, -4))).toThrow('it must have 13 fields, got 12');
    expect(() => parse(`${line}\tx`)).toThrow('it must have 13 fields, got 14');
    expect(parse(line)).toEqual(FLOW);
  });

  it('is bad before any header', () => {
    expect(() => createZeekConnParser()('1\t2')).toThrow('there is no #fields line before it');
  });
});

describe('a line of a JSON conn.log', () => {
  const OBJECT = {
    ts: 1258531221.486539,
    uid: 'CMucAv3aPcRqfSv8Dj',
    'id.orig_h': '192.168.1.102',
    'id.orig_p': 68,
    'id.resp_h': '192.168.1.1',
    'id.resp_p': 67,
    proto: 'udp',
    duration: 0.16382,
    orig_pkts: 1,
    orig_ip_bytes: 329,
    resp_pkts: 2,
    resp_ip_bytes: 328,
  };
  const json = (changes: object) =>
    createZeekConnParser()(JSON.stringify({ ...OBJECT, ...changes }));

  it('gives the same flow as a TSV line', () => {
    expect(json({})).toEqual(FLOW);
    expect(json({ ts: '2009-11-18T08:00:21.486539Z' })).toEqual(FLOW);
    expect(json({ tunnel_parents: ['a'], vlan: null, local_orig: true })).toEqual(FLOW);
  });

  it('counts absent values as 0', () => {
    const absent = {
      duration: undefined,
      orig_ip_bytes: undefined,
      orig_bytes: 9,
      resp_pkts: undefined,
    };
    expect(json(absent)).toMatchObject({
      durationUs: 0,
      originator: { bytes: 0 },
      responder: { packets: 0 },
    });
  });

  it('gives payload bytes if it has no IP bytes', () => {
    const payload = { orig_ip_bytes: undefined, resp_ip_bytes: undefined, orig_bytes: 301 };
    expect(json(payload)).toMatchObject({ originator: { bytes: 301 }, responder: { bytes: 0 } });
  });

  it('keeps numbers beyond 2^53 exactly', () => {
    const line = JSON.stringify(OBJECT).replace(':329', ':9223372036854775807');
    expect(createZeekConnParser()(line)?.originator.bytes).toBe(2n ** 63n - 1n);
    const tooLarge = line.replace('9223372036854775807', '9223372036854775808');
    expect(() => createZeekConnParser()(tooLarge)).toThrow('got "9223372036854775808"');
    const split = line.replace('9223372036854775807', '900719925474099.3e1');
    expect(createZeekConnParser()(split)?.originator.bytes).toBe(2n ** 53n + 1n);
    const broken = line.replace('9223372036854775807', '999999999999999.99');
    expect(() => createZeekConnParser()(broken)).toThrow('got "999999999999999.99"');
  });

  it.each([
    ['{"ts":1', 'it must be a JSON object, got "{\\"ts\\":1"'],
    ['{}', 'id.orig_h is missing'],
    [JSON.stringify({ ...OBJECT, ts: {} }), 'ts must be a text or a number'],
    [JSON.stringify({ ...OBJECT, orig_pkts: [1] }), 'orig_pkts must be a text or a number'],
    [`{"a":${'['.repeat(100_000)}1234567890123456`, 'it must be a JSON object, got'],
  ])('%.40s is bad', (line, reason) => {
    expect(() => createZeekConnParser()(line)).toThrow(reason);
    expect(() => createZeekConnParser()(line)).toThrow(BadLine);
  });
});

describe('a log with other settings', () => {
  const renamed = (separator: string) => FIELDS.map((field) => field.replace('.', separator));

  it.each(['_', ':', '/'])('may have scopes separated by %s', (separator) => {
    const parse = createZeekConnParser();
    parse(`#fields\t${renamed(separator).join('\t')}`);
    expect(parse(FIELDS.map((field) => VALUES[field]).join('\t'))).toEqual(FLOW);
  });

  it('may have scopes separated by _ in JSON', () => {
    const entries = FIELDS.map((field) => [field.replace('.', '_'), VALUES[field]]);
    expect(createZeekConnParser()(JSON.stringify(Object.fromEntries(entries)))).toEqual(FLOW);
  });

  it.each([
    ['1258531221486', 1_258_531_221_486_000],
    ['1258531221486.539', 1_258_531_221_486_539],
  ])('may have its time in milliseconds, but not durations: %s', (ts, startUs) => {
    expect(tsv({ ts })).toEqual({ ...FLOW, startUs });
    expect(tsv({ ts, duration: '2.5' })?.durationUs).toBe(2_500_000);
  });
});

describe('SCTP', () => {
  it.each(['0', '-'])('without ports is in no group of ports: %s', (port) => {
    const flow = tsv({ proto: 'sctp', 'id.resp_p': port });
    expect([flow?.protocol, flow && appPort(flow)]).toEqual([132, null]);
  });

  it('with ports is in the groups of its port', () => {
    const flow = tsv({ proto: 'sctp', 'id.resp_p': '3868' });
    expect(flow && appPort(flow)).toBe(3868);
  });
});

describe('a log that declares its kind', () => {
  const LINE = FIELDS.map((field) => VALUES[field]).join('\t');
  const IS_DNS =
    '#path must be conn, got "dns": give the file to `countergraph labels --format zeek-dns`';

  it('is read if it is a conn.log, or if it leaves that open', () => {
    for (const path of ['conn', '-', '']) {
      const parse = createZeekConnParser();
      parse(`#path\t${path}`);
      parse(`#fields\t${FIELDS.join('\t')}`);
      expect(parse(LINE)).toEqual(FLOW);
    }
  });

  it('is refused if it is another, with all its lines', () => {
    const parse = createZeekConnParser();
    expect(() => parse('#path\tdns')).toThrow(new BadLine(IS_DNS));
    expect(parse(`#fields\t${FIELDS.join('\t')}`)).toBeNull();
    expect(() => parse(LINE)).toThrow(new BadLine(IS_DNS));
    // The header of the next log, in a file of several.
    expect(parse('#separator \\x09')).toBeNull();
    expect(parse('#path\tconn')).toBeNull();
    expect(parse(LINE)).toEqual(FLOW);
    expect(() => parse('#path\thttp')).toThrow(
      new BadLine('#path must be conn, got "http": leave the file out'),
    );
  });

  it.each(['conn_long', 'conn-summary', 'conn_red', 'connection'])(
    'is refused if its name only begins like that of conn.log: %s',
    (path) => {
      const parse = createZeekConnParser();
      const refusal = `path must be conn, got "${path}": leave the file out`;
      expect(() => parse(`#path\t${path}`)).toThrow(`#${refusal}`);
      expect(() => parse(JSON.stringify({ _path: path, ...VALUES }))).toThrow(`_${refusal}`);
    },
  );

  it('is refused in JSON as well, line by line', () => {
    const parse = createZeekConnParser();
    const json = (path: unknown) => JSON.stringify({ _path: path, ...VALUES });
    expect(parse(json('conn'))).toEqual(FLOW);
    expect(() => parse(json('dns'))).toThrow(new BadLine(IS_DNS.replace('#', '_')));
    expect(() => parse(json(['conn']))).toThrow(new BadLine('_path must be a text or a number'));
    expect(parse(json(null))).toEqual(FLOW);
  });
});

describe('a time in a Zeek log', () => {
  it.each<[string, number | null]>([
    ['0', 0],
    ['1', 1_000_000],
    ['1.5', 1_500_000],
    ['1.', 1_000_000],
    ['-1.5', -1_500_000],
    ['1258531221.486539', 1_258_531_221_486_539],
    ['0.0000014', 1],
    ['0.0000015', 2],
    ['0.9999999', 1_000_000],
    ['0.00006604194641113281', 66],
    ['9.5367431640625e-07', 1],
    ['1e-7', 0],
    ['9007199254.740991', 9_007_199_254_740_991],
    ['9007199254.740992', null],
    ['999999999999', null],
    ['1e300', null],
    ['', null],
    ['1 s', null],
    ['Infinity', null],
  ])('%j is %s microseconds', (text, expected) => {
    expect(parseSeconds(text)).toBe(expected);
  });

  it.each<[string, number | null]>([
    ['2009-11-18T08:00:21Z', 1_258_531_221_000_000],
    ['2009-11-18T08:00:21.486539Z', 1_258_531_221_486_539],
    ['2009-11-18T09:00:21.4+01:00', 1_258_531_221_400_000],
    ['2009-11-18T08:00:21', null],
    ['2009-13-18T08:00:21Z', null],
    ['2009-02-28T08:00:00Z', 1_235_808_000_000_000],
    ['2009-02-28T24:00:00Z', 1_235_865_600_000_000],
    ['2009-02-29T08:00:00Z', null],
    ['2008-02-29T08:00:00Z', 1_204_272_000_000_000],
    ['2008-02-30T08:00:00Z', null],
    ['2009-04-30T23:00:00-0200', 1_241_139_600_000_000],
    ['2009-04-31T10:00:00+00:00', null],
    ['2009-04-31T10:00:00+0200', null],
    ['2009-11-18', null],
    ['1258531221.486539', 1_258_531_221_486_539],
  ])('%j is the moment %s', (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });
});
