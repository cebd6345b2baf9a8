import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import {
  addressBytesOf,
  formatReadable,
  parseKey,
  parseRawKey,
  parseReadableKey,
} from '../../../domain/keys/key-text.ts';

const LOOPBACK = '00.00.00.00.00.00.00.00.00.00.00.00.00.00.00.01';
const DOCUMENTATION = '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01';

/** Kind, raw key, readable form: each row is parsed and formatted in both directions. */
const FORMS: readonly (readonly [SimpleKeyKind, string, string])[] = [
  ['ipv4', 'C0.A8.01.0A', '192.168.1.10'],
  ['ipv4', '00.00.00.00', '0.0.0.0'],
  ['ipv4', 'FF.FF.FF.FF', '255.255.255.255'],
  ['ipv6', DOCUMENTATION, '2001:db8::1'],
  ['ipv6', LOOPBACK, '::1'],
  ['ipv6', '00.00.00.00.00.00.00.00.00.00.00.00.00.00.00.00', '::'],
  ['ip', 'C0.A8.01.0A', '192.168.1.10'],
  ['ip', DOCUMENTATION, '2001:db8::1'],
  ['port', '00.50', '80'],
  ['port', '00.00', '0'],
  ['port', 'FF.FF', '65535'],
  ['protocol', '06', 'TCP'],
  ['protocol', '3A', 'IPv6-ICMP'],
  ['protocol', '3D', '61'],
  ['protocol', 'FC', '252'],
  ['protocol', 'FF', '255'],
  ['mac', '00.0B.DB.63.58.A6', '00:0b:db:63:58:a6'],
  ['subnet', 'C0.A8.01.00/18', '192.168.1.0/24'],
  ['subnet', '00.00.00.00/00', '0.0.0.0/0'],
  ['subnet', 'C0.A8.01.0A/20', '192.168.1.10/32'],
  ['subnet', 'C0.A8.01.0A/18', '192.168.1.10/24'],
  ['subnet', '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.00/40', '2001:db8::/64'],
  ['subnet', `${LOOPBACK}/80`, '::1/128'],
  ['interface', 'C0.A8.01.01.00.00.00.03', '192.168.1.1 #3'],
  ['interface', 'C0.A8.01.01.FF.FF.FF.FF', '192.168.1.1 #4294967295'],
  ['interface', `${DOCUMENTATION}.00.01.00.00`, '2001:db8::1 #65536'],
  ['asn', '00.00.3B.41', 'AS15169'],
  ['asn', 'FF.FF.FF.FF', 'AS4294967295'],
  ['country', 'US', 'US'],
  ['text', 'TOTALBW', 'TOTALBW'],
  ['text', 'München\\😀 ', 'München\\😀 '],
];

describe('a key', () => {
  it.each(FORMS)('of kind %s, %s, reads as %s', (kind, key, readable) => {
    expect(formatReadable(kind, key)).toBe(readable);
    expect(parseRawKey(kind, key)).toBe(key);
    expect(parseReadableKey(kind, readable)).toBe(key);
  });

  it.each(FORMS.filter(([kind]) => kind !== 'country' && kind !== 'text'))(
    'of kind %s, %s, may be given in lower case',
    (kind, key) => {
      expect(parseRawKey(kind, key.toLowerCase())).toBe(key);
    },
  );
});

const NO_KEYS: readonly (readonly [SimpleKeyKind, string, string])[] = [
  ['ipv4', '', 'nothing'],
  ['ipv4', '192.168.1.10', 'the readable form'],
  ['ipv4', 'C0.A8.01', 'one byte too few'],
  ['ipv4', 'C0.A8.01.0A.00', 'one byte too many'],
  ['ipv4', 'C0.A8.1.0A', 'a byte of one digit'],
  ['ipv4', 'C0.A8.01.0G', 'a letter that is not a hexadecimal digit'],
  ['ipv4', 'C0A8010A', 'no dots'],
  ['ipv4', 'C0.A8.01.0A\n', 'a line break after it'],
  ['ipv4', LOOPBACK, 'an IPv6 address'],
  ['ipv6', 'C0.A8.01.0A', 'an IPv4 address'],
  ['ip', 'C0.A8.01.0A.00', 'the length of neither kind of address'],
  ['port', '50', 'one byte'],
  ['port', '00.00.50', 'three bytes'],
  ['protocol', '6', 'one digit'],
  ['protocol', '00.06', 'two bytes'],
  ['mac', '00.0B.DB.63.58', 'five bytes'],
  ['mac', '00:0B:DB:63:58:A6', 'colons'],
  ['subnet', 'C0.A8.01.00', 'no prefix'],
  ['subnet', 'C0.A8.01.00/21', 'a prefix of 33'],
  ['subnet', `${LOOPBACK}/81`, 'a prefix of 129'],
  ['subnet', 'C0.A8.01.00/8', 'a prefix of one digit'],
  ['subnet', 'C0.A8.01.00/', 'an empty prefix'],
  ['subnet', 'C0.A8.01.00/18/18', 'two prefixes'],
  ['interface', 'C0.A8.01.01.00.00.03', 'a number of three bytes'],
  ['interface', 'C0.A8.01.01', 'no number'],
  ['asn', '3B.41', 'two bytes'],
  ['country', 'us', 'lower case'],
  ['country', 'USA', 'three letters'],
  ['country', 'ÄÖ', 'letters beyond ASCII'],
  ['text', '', 'nothing'],
  ['text', 'a\tb', 'a control character'],
  ['text', 'a\u0000', 'a NUL character'],
  ['text', 'a\u007f', 'the delete character'],
  ['text', 'a\u0085', 'a control character beyond ASCII'],
  ['text', 'a\ud83d', 'the first half of a surrogate pair'],
  ['text', '\ude00a', 'the second half of a surrogate pair'],
  ['text', 'x'.repeat(513), '513 bytes'],
  ['text', 'é'.repeat(257), '514 bytes in 257 characters'],
];

describe('a raw key', () => {
  it.each(NO_KEYS)('of kind %s is not %j: %s', (kind, text) => {
    expect(parseRawKey(kind, text)).toBeNull();
  });

  it.each(['x'.repeat(512), 'é'.repeat(256), '😀'.repeat(128)])(
    'of text may have 512 bytes',
    (key) => {
      expect(parseRawKey('text', key)).toBe(key);
    },
  );
});

describe('readable IPv6', () => {
  it.each([
    ['2001:0db8:0000:0000:0000:0000:0002:0001', '2001:db8::2:1', 'leading zeros are dropped'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1', 'a single zero group stays'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1', 'the longest run of zeros is shortened'],
    [
      '2001:db8:0:0:1:0:0:1',
      '2001:db8::1:0:0:1',
      'of two equally long runs, the first is shortened',
    ],
    ['2001:DB8::A', '2001:db8::a', 'letters are in lower case'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0', 'a single zero group at the end stays'],
    ['1::', '1::', 'a run at the end'],
    ['::ffff:c0a8:10a', '::ffff:192.168.1.10', 'a mapped IPv4 address is shown as one'],
    ['::FFFF:192.168.1.10', '::ffff:192.168.1.10', 'a mapped IPv4 address is read as one'],
    ['::ffff:0:0', '::ffff:0.0.0.0', 'the first mapped address'],
    ['::fffe:102:304', '::fffe:102:304', 'the block before the mapped one'],
    ['::1:0:0', '::1:0:0', 'the block after the mapped one'],
    ['::1.2.3.4', '::102:304', 'an IPv4 tail without the mapped prefix becomes groups'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304', 'an IPv4 tail after another prefix'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304', 'an IPv4 tail after six groups'],
  ])('%s is written %s: %s', (given, written) => {
    const key = parseReadableKey('ipv6', given);
    expect(key).not.toBeNull();
    expect(formatReadable('ipv6', key ?? '')).toBe(written);
  });

  it('is written as in the URL standard, except for mapped addresses', () => {
    const group = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(0xffff));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const given = groups.map((value) => value.toString(16)).join(':');
        fc.pre(!given.startsWith('0:0:0:0:0:ffff:'));
        const key = parseReadableKey('ipv6', given) ?? '';
        expect(`[${formatReadable('ipv6', key)}]`).toBe(new URL(`http://[${given}]`).hostname);
      }),
    );
  });
});

const NOT_READABLE: readonly (readonly [SimpleKeyKind, string, string])[] = [
  ['ipv4', '192.168.1', 'three parts'],
  ['ipv4', '192.168.1.256', 'a part that is too large'],
  ['ipv4', '192.168.1.010', 'a leading zero'],
  ['ipv4', '0x7f.0.0.1', 'a hexadecimal part'],
  ['ipv4', '3232235777', 'one number'],
  ['ipv4', '192.168.1.10/32', 'a prefix'],
  ['ipv4', ' 192.168.1.10', 'a space'],
  ['ipv4', '::1', 'IPv6'],
  ['ipv6', '192.168.1.1', 'IPv4'],
  ['ipv6', 'fe80::1%eth0', 'a zone'],
  ['ipv6', '1::2::3', 'two runs of omitted zeros'],
  ['ipv6', '1:2:3:4:5:6:7', 'seven groups'],
  ['ipv6', '1:2:3:4:5:6:7:8:9', 'nine groups'],
  ['ipv6', '1:2:3:4:5:6:7:1.2.3.4', 'seven groups and an IPv4 tail'],
  ['ipv6', '::1.2.3', 'a tail that is not an IPv4 address'],
  ['ipv6', '::12345', 'a group of five digits'],
  ['ip', 'localhost', 'a name'],
  ['port', '65536', 'too large'],
  ['port', '-1', 'a sign'],
  ['port', '080', 'a leading zero'],
  ['port', 'http', 'a service name'],
  ['port', '', 'nothing'],
  ['protocol', '256', 'too large'],
  ['protocol', 'tcpx', 'an unknown keyword'],
  ['mac', '00-0b-db-63-58-a6', 'hyphens'],
  ['mac', '0:b:db:63:58:a6', 'short bytes'],
  ['subnet', '192.168.1.0/33', 'a prefix that is too long'],
  ['subnet', '192.168.1.0/024', 'a leading zero'],
  ['subnet', '192.168.1.0/', 'an empty prefix'],
  ['subnet', '::/129', 'a prefix that is too long'],
  ['interface', '192.168.1.1#3', 'no space'],
  ['interface', '192.168.1.1 #', 'no number'],
  ['interface', '192.168.1.1 #4294967296', 'a number that is too large'],
  ['asn', '15169', 'no prefix'],
  ['asn', 'AS4294967296', 'too large'],
  ['asn', 'AS', 'no number'],
  ['country', 'Germany', 'a name'],
];

describe('a readable key', () => {
  it.each([
    ['protocol', 'tcp', '06'],
    ['protocol', 'Udp', '11'],
    ['protocol', '6', '06'],
    ['protocol', '17', '11'],
    ['protocol', '255', 'FF'],
    ['asn', 'as15169', '00.00.3B.41'],
    ['asn', 'AS0', '00.00.00.00'],
    ['mac', '00:0B:DB:63:58:A6', '00.0B.DB.63.58.A6'],
    ['ipv6', '2001:DB8:0:0::1', DOCUMENTATION],
    ['subnet', '2001:DB8::1/128', `${DOCUMENTATION}/80`],
  ] as const)('of kind %s may be %s', (kind, text, key) => {
    expect(parseReadableKey(kind, text)).toBe(key);
  });

  it.each(NOT_READABLE)('of kind %s is not %j: %s', (kind, text) => {
    expect(parseReadableKey(kind, text)).toBeNull();
  });

  it.each([
    ['ipv4', 'router1'],
    ['port', '80'],
    ['protocol', 'TCP'],
    ['mac', '00:0b:db:63:58:a6'],
    ['subnet', 'C0.A8.01.00'],
    ['interface', 'C0.A8.01.01'],
    ['asn', 'AS1'],
    ['country', 'Germany'],
    ['text', ''],
  ] as const)('of kind %s, for the invalid key %j, is the key itself', (kind, key) => {
    expect(formatReadable(kind, key)).toBe(key);
  });
});

describe('a key in either form', () => {
  it.each([
    ['ip', 'c0.a8.01.0a', 'C0.A8.01.0A'],
    ['ip', '192.168.1.10', 'C0.A8.01.0A'],
    ['port', '00.50', '00.50'],
    ['port', '80', '00.50'],
    ['protocol', '17', '17'],
    ['protocol', '7', '07'],
    ['protocol', 'udp', '11'],
    ['ipv4', '10.10.10.10', '10.10.10.10'],
  ] as const)('of kind %s, %s, is %s: it is read as raw if possible', (kind, text, key) => {
    expect(parseKey(kind, text)).toBe(key);
  });

  it('is null when it is neither', () => {
    expect(parseKey('ip', 'router1')).toBeNull();
  });
});

describe('the bytes of an address', () => {
  it.each([
    ['ipv4', 'C0.A8.01.0A', [192, 168, 1, 10]],
    ['ip', 'C0.A8.01.0A', [192, 168, 1, 10]],
    ['ipv6', LOOPBACK, [...Array(15).fill(0), 1]],
    ['ip', LOOPBACK, [...Array(15).fill(0), 1]],
    ['ipv4', LOOPBACK, null],
    ['ipv6', 'C0.A8.01.0A', null],
    ['ip', 'router1', null],
    ['asn', '00.00.3B.41', null],
    ['text', 'C0.A8.01.0A', null],
    ['subnet', 'C0.A8.01.00/18', null],
    ['interface', `${'00.'.repeat(15)}03`, null],
  ] as const)('of kind %s, %s, are %j', (kind, key, bytes) => {
    expect(addressBytesOf(kind, key)).toEqual(bytes);
  });
});

const hexBytes = (count: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: count, maxLength: count }).map((bytes) =>
    [...bytes]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('.')
      .toUpperCase(),
  );

const hexByte = (max: number): fc.Arbitrary<string> =>
  fc.nat(max).map((value) => value.toString(16).padStart(2, '0').toUpperCase());

const subnet = (count: number): fc.Arbitrary<string> =>
  fc.tuple(hexBytes(count), hexByte(count * 8)).map((parts) => parts.join('/'));

const RAW_KEYS: Readonly<Record<SimpleKeyKind, fc.Arbitrary<string>>> = {
  ipv4: hexBytes(4),
  ipv6: hexBytes(16),
  ip: fc.oneof(hexBytes(4), hexBytes(16)),
  port: hexBytes(2),
  protocol: hexBytes(1),
  mac: hexBytes(6),
  subnet: fc.oneof(subnet(4), subnet(16)),
  interface: fc.oneof(hexBytes(8), hexBytes(20)),
  asn: hexBytes(4),
  country: fc.stringMatching(/^[A-Z]{2}$/),
  text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
};

describe.each(Object.entries(RAW_KEYS))('any raw key of kind %s', (name, keys) => {
  const kind = name as SimpleKeyKind;

  it('is canonical, and the one that its readable form is parsed to', () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(parseRawKey(kind, key)).toBe(key);
        expect(parseReadableKey(kind, formatReadable(kind, key))).toBe(key);
      }),
    );
  });
});
