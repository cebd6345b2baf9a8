import { describe, expect, it } from 'vitest';
import {
  compileKeyFilter,
  isEmptyFilter,
  type KeyFilter,
} from '../../../domain/filters/key-filter.ts';
import { splitCrossKey } from '../../../domain/keys/cross-key.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { formatReadable } from '../../../domain/keys/key-text.ts';
import { LIMITS } from '../../../domain/limits.ts';

const raw = String.raw;
const NAMES = { match: 'key_filter', exclude: 'inverse_key_filter' };

const HOST = 'C0.A8.01.0A';
const OTHER_HOST = 'C0.A8.02.0A';
const LOOPBACK = '00.00.00.00.00.00.00.00.00.00.00.00.00.00.00.01';
const MAPPED = '00.00.00.00.00.00.00.00.00.00.FF.FF.C0.A8.01.0A';
const PAIR = raw`C0.A8.01.0A\00.50`;

function passes(
  filter: KeyFilter,
  kinds: readonly SimpleKeyKind[],
  key: string,
  label = 'printer.example.org',
): boolean {
  const parts = kinds.length === 1 ? [key] : (splitCrossKey(key) ?? []);
  const readable = () =>
    parts.map((part, i) => formatReadable(kinds[i] ?? 'text', part)).join('\\');
  return compileKeyFilter(filter, kinds, NAMES)({ key, parts, readable, label: () => label });
}

describe('a filter', () => {
  it.each<[KeyFilter, boolean, string]>([
    [{}, true, 'it has no conditions'],
    [{ match: raw`^C0\.A8\.01\.` }, true, 'the pattern matches the raw key'],
    [{ match: raw`^0A\.` }, false, 'the pattern does not match it'],
    [{ match: '192' }, false, 'the pattern matches only the readable key'],
    [{ exclude: raw`^C0\.A8\.01\.` }, false, 'the excluded pattern matches it'],
    [{ exclude: raw`^0A\.` }, true, 'the excluded pattern does not match it'],
    [{ match: '^C0', exclude: '0A$' }, false, 'both patterns match it'],
    [{ keys: [HOST] }, true, 'it is listed'],
    [{ keys: [HOST.toLowerCase()] }, true, 'it is listed in lower case'],
    [{ keys: ['192.168.1.10'] }, true, 'it is listed in readable form'],
    [{ keys: [OTHER_HOST, HOST] }, true, 'it is one of those listed'],
    [{ keys: [OTHER_HOST] }, false, 'another is listed'],
    [{ keys: ['router1'] }, false, 'what is listed is not a key'],
    [{ excludeKeys: ['192.168.1.10'] }, false, 'it is excluded'],
    [{ excludeKeys: [OTHER_HOST] }, true, 'another is excluded'],
    [{ keys: [HOST], excludeKeys: [HOST] }, false, 'it is listed and excluded'],
    [{ search: 'PRINTER' }, true, 'the text is in the label, in another case'],
    [{ search: '168.1' }, true, 'the text is in the readable form'],
    [{ search: 'C0.A8' }, false, 'the text is only in the raw key'],
    [{ search: 'scanner' }, false, 'the text is nowhere'],
    [{ keys: [HOST], search: 'scanner' }, false, 'only one of two conditions holds'],
    [{ keys: [HOST], search: 'printer', match: '^C0' }, true, 'all conditions hold'],
  ])('%j lets a host pass: %s, because %s', (filter, passed) => {
    expect(passes(filter, ['ip'], HOST)).toBe(passed);
  });

  it.each<[KeyFilter]>([
    [{}],
    [{ match: '', exclude: '', search: '' }],
    [{ keys: [], excludeKeys: [], cidr: [], excludeCidr: [] }],
  ])('%j is empty and lets everything pass', (filter) => {
    expect(isEmptyFilter(filter)).toBe(true);
    expect(passes(filter, ['text'], 'TOTALBW')).toBe(true);
  });

  it.each<[KeyFilter]>([
    [{ match: 'a' }],
    [{ exclude: 'a' }],
    [{ keys: [''] }],
    [{ excludeKeys: ['a'] }],
    [{ cidr: ['::1'] }],
    [{ excludeCidr: ['::1'] }],
    [{ search: ' ' }],
  ])('%j is not empty', (filter) => {
    expect(isEmptyFilter(filter)).toBe(false);
  });

  it('searches without regard to case beyond ASCII', () => {
    expect(passes({ search: 'STRASSE' }, ['text'], 'x', 'Hauptstraße 5')).toBe(true);
    expect(passes({ search: 'ΟΔΟΣ' }, ['text'], 'οδος', 'y')).toBe(true);
  });
});

describe('a filter by network', () => {
  it.each<[string[], string, boolean, string]>([
    [['192.168.1.0/24'], HOST, true, 'inside'],
    [['192.168.1.0/24'], OTHER_HOST, false, 'outside'],
    [['192.168.1.77/24'], HOST, true, 'host bits are ignored'],
    [['192.168.1.10'], HOST, true, 'a bare address is a host'],
    [['192.168.1.11'], HOST, false, 'a bare address is one host only'],
    [['192.168.1.10/31'], HOST, true, 'the first of two'],
    [['192.168.1.8/31'], HOST, false, 'just below'],
    [['192.168.1.12/31'], HOST, false, 'just above'],
    [['0.0.0.0/0'], HOST, true, 'every IPv4 address'],
    [['0.0.0.0/0'], LOOPBACK, false, 'an IPv6 address is in no IPv4 network'],
    [['::/0'], LOOPBACK, true, 'every IPv6 address'],
    [['::/0'], HOST, false, 'an IPv4 address is in no IPv6 network'],
    [['::ffff:192.168.1.0/120'], MAPPED, true, 'a mapped address is an IPv6 address'],
    [
      ['::ffff:192.168.1.0/120'],
      HOST,
      false,
      'an IPv4 address is in no network of mapped addresses',
    ],
    [['192.168.1.0/24'], MAPPED, false, 'a mapped address is in no IPv4 network'],
    [['::1'], LOOPBACK, true, 'a bare IPv6 address'],
    [['10.0.0.0/8', '192.168.0.0/16'], HOST, true, 'any of several'],
    [['10.0.0.0/8', '172.16.0.0/12'], HOST, false, 'none of several'],
    [['192.168.1.0/24'], 'router1', false, 'what is not an address is in no network'],
  ])('%j, with key %s: %s, %s', (networks, key, inside) => {
    expect(passes({ cidr: networks }, ['ip'], key)).toBe(inside);
    expect(passes({ excludeCidr: networks }, ['ip'], key)).toBe(!inside);
  });

  it.each<[SimpleKeyKind[], string, boolean, string]>([
    [['ip', 'port'], PAIR, true, 'its first part is inside'],
    [['port', 'ip'], raw`00.50\C0.A8.01.0A`, true, 'its second part is inside'],
    [['ip', 'ip'], raw`0A.00.00.01\C0.A8.01.0A`, true, 'one of two addresses is inside'],
    [['ip', 'ip'], raw`0A.00.00.01\0A.00.00.02`, false, 'neither address is inside'],
    [
      ['ip', 'text'],
      raw`0A.00.00.01\C0.A8.01.0A`,
      false,
      'only its text part looks like an address',
    ],
    [['ip', 'port', 'ipv4'], raw`0A.00.00.01\00.50\C0.A8.01.0A`, true, 'its third part is inside'],
  ])('lets a cross-key of %j, %s, pass: %s, because %s', (kinds, key, inside) => {
    expect(passes({ cidr: ['192.168.1.0/24'] }, kinds, key)).toBe(inside);
  });

  it.each(['192.168.1.0/33', '192.168.1.0/', '192.168.1', '::/129', 'home', '', '1.2.3.4/24/8'])(
    'is refused for %j, which is not a network',
    (network) => {
      expect(() => compileKeyFilter({ cidr: [network] }, ['ip'], NAMES)).toThrow(
        `cidr must be addresses or networks in CIDR form, got ${JSON.stringify(network)}`,
      );
    },
  );

  it.each<[SimpleKeyKind[]]>([[['port']], [['subnet']], [['interface']], [['text', 'port']]])(
    'is refused for keys of %j, which have no addresses',
    (kinds) => {
      expect(() => compileKeyFilter({ excludeCidr: ['10.0.0.0/8'] }, kinds, NAMES)).toThrow(
        'excludeCidr must be left out for a group whose keys are not addresses, got "10.0.0.0/8"',
      );
    },
  );
});

describe('a filter on a cross-key group', () => {
  it.each<[KeyFilter, boolean, string]>([
    [{ keys: [PAIR] }, true, 'it is listed'],
    [{ keys: [PAIR.toLowerCase()] }, true, 'it is listed in lower case'],
    [{ keys: [raw`192.168.1.10\80`] }, true, 'it is listed in readable form'],
    [{ excludeKeys: [raw`192.168.1.10\80`] }, false, 'it is excluded in readable form'],
    [{ keys: [raw`192.168.1.10\81`] }, false, 'another is listed in readable form'],
    [{ keys: [HOST] }, false, 'only a part of it is listed'],
    [{ match: raw`^C0\.A8\.01\.0A\\` }, true, 'the pattern matches the whole key'],
    [{ search: raw`10\80` }, true, 'the text is in the joined readable form'],
  ])('%j lets a cross-key pass: %s, because %s', (filter, passed) => {
    expect(passes(filter, ['ip', 'port'], PAIR)).toBe(passed);
  });
});

describe('a filter that cannot be used', () => {
  it.each<[KeyFilter, string]>([
    [
      { match: 'a(b' },
      'key_filter must be an RE2 pattern, got "a(b": missing closing ) at position 1',
    ],
    [
      { exclude: ')' },
      'inverse_key_filter must be an RE2 pattern, got ")": unexpected ) at position 0',
    ],
  ])('%j says: %s', (filter, message) => {
    expect(() => compileKeyFilter(filter, ['ip'], NAMES)).toThrow(message);
  });

  it.each(['keys', 'excludeKeys', 'cidr', 'excludeCidr'] as const)(
    'has more %s than the limit allows',
    (name) => {
      const most = Array<string>(LIMITS.filterListItems).fill('10.0.0.1');
      expect(() => compileKeyFilter({ [name]: most }, ['ip'], NAMES)).not.toThrow();
      expect(() => compileKeyFilter({ [name]: [...most, '10.0.0.2'] }, ['ip'], NAMES)).toThrow(
        `${name} must be a list of at most 10000 values, got 10001`,
      );
    },
  );
});
