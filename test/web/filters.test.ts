import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../../web/src/address/address.ts';
import type { Filter } from '../../web/src/address/filters.ts';
import type { ContextChoice } from '../../web/src/data/choices.ts';
import { filterWords, inOrder, jointOf, typedForm } from '../../web/src/data/filter-words.ts';
import { portOfPattern, portPattern, typedNetwork } from '../../web/src/data/typed-value.ts';
import { keyReading, readingsOf, searchedGroups } from '../../web/src/data/understand-filter.ts';

const group = (name: string, keyKind: string, crosskey: object | null = null) => ({
  guid: `{${name}}`,
  name,
  keyKind,
  crosskey,
  meters: [{ index: 0, name: 'Total', units: 'bytes', type: 'COUNTER' }],
});

const PAIR = { parentGuid: '{Hosts}', crosskeyGuid1: '{Apps}', crosskeyGuid2: null };

const choice = {
  name: 'lab',
  counterGroups: [
    group('Apps', 'PORT'),
    group('Hosts', 'IP'),
    group('Inside', 'IP'),
    group('Pairs', 'CROSSKEY', PAIR),
    group('Rooms', 'TEXT'),
  ],
} as unknown as ContextChoice;

const placeOf = (name: string, search = '?view=top', edited: Filter | null = null) => ({
  address: parseAddress(search),
  choice,
  group: choice.counterGroups.find((each) => each.name === name) ?? null,
  edited,
});

/** What choosing the readings of a text shows, in the words of the page. */
const readings = (typed: string, name = 'Hosts', search = '?view=top') =>
  readingsOf(typed, placeOf(name, search)).map(({ label, value, note }) =>
    [`${label} ${value}`, note].filter(Boolean).join(', '),
  );

describe('a network is typed as', () => {
  it.each([
    ['192.168.1.7/24', '192.168.1.0/24'],
    ['192.168.1', '192.168.1.0/24'],
    ['192.168.1.', '192.168.1.0/24'],
    ['192.168.1.*', '192.168.1.0/24'],
    ['192.168.*.*', '192.168.0.0/16'],
    ['10.*', '10.0.0.0/8'],
    ['10/8', '10.0.0.0/8'],
    ['10.200.255.255/9', '10.128.0.0/9'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.1/32', '10.0.0.1'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['::1', '::1'],
  ])('%s', (typed, network) => {
    expect(typedNetwork(typed)).toBe(network);
  });

  it.each([
    '10',
    '256.1.1.1',
    '10.0.0.0/33',
    '1.2.3.4.5',
    '10.0.0.1.*',
    ':443',
    '::/129',
    'a:b',
    '',
  ])('but not as "%s"', (typed) => {
    expect(typedNetwork(typed)).toBeNull();
  });
});

describe('a typed text', () => {
  it.each([
    ['office', 'Hosts', ['Text office']],
    ['192.168.1.0/24', 'Hosts', ['Network 192.168.1.0/24', 'Text 192.168.1.0/24']],
    ['-10.0.0.1', 'Hosts', ['Not address 10.0.0.1']],
    ['/^0A/', 'Hosts', ['Pattern ^0A']],
    ['-re:^0A', 'Hosts', ['Not pattern ^0A']],
    ['443', 'Hosts', ['Port 443, in Apps', 'Text 443']],
    ['443', 'Apps', ['Port 443', 'Text 443']],
    ['tcp/443', 'Apps', ['Port 443, with all transports: TCP is not told apart', 'Text tcp/443']],
    ['443', 'Pairs', ['Port 443', 'Text 443']],
    ['-443', 'Apps', ['Without port 443, ranked again without it']],
    ['443', 'Rooms', ['Text 443', 'Port 443, in Apps']],
    ['65536', 'Apps', ['Text 65536']],
    ['10.0.0.0/8', 'Apps', ['Text 10.0.0.0/8', 'Network 10.0.0.0/8, in Hosts']],
    ['10.0.0.0/8', 'Pairs', ['Network 10.0.0.0/8', 'Text 10.0.0.0/8']],
    // There is no such filter, and an answer must be exact.
    ['-office', 'Hosts', []],
    [' ', 'Hosts', []],
  ])('%s in %s is %j', (typed, name, expected) => {
    expect(readings(typed, name)).toEqual(expected);
  });

  it('replaces a filter of which there can be only one, and says so', () => {
    expect(readings('b', 'Hosts', '?find=a')).toEqual([
      'Text b, instead of “a”: only one is possible',
    ]);
  });

  it('is added to the filters that hold, or replaces the one that is edited', () => {
    const search = '?cidr=10.0.0.0/8&find=x';
    const filtersOf = (edited: Filter | null) =>
      readingsOf('192.168.1', placeOf('Hosts', search, edited))[0]?.target.filters;
    const added = { kind: 'cidr', text: '192.168.1.0/24' };
    const [network = null, text] = parseAddress(search).filters;
    expect(filtersOf(null)).toEqual([network, text, added]);
    const place = placeOf('Hosts', search);
    const edited = { ...place, edited: place.address.filters[0] ?? null };
    expect(readingsOf('192.168.1', edited)[0]?.target.filters).toEqual([text, added]);
  });

  it('leads from a view without keys to the top keys of its group, without older filters', () => {
    const [reading] = readingsOf('10.0.0.1', placeOf('Hosts', '?view=storage&find=x'));
    expect(reading?.target).toMatchObject({
      view: 'top',
      group: '{Hosts}',
      filters: [{ kind: 'cidr', text: '10.0.0.1' }],
    });
  });

  it('that is longer than the networks of the view is about addresses', () => {
    const target = (typed: string) =>
      readingsOf(typed, placeOf('Hosts', '?prefix=24'))[0]?.target.prefix;
    expect(target('10.0.0.1')).toBeNull();
    expect(target('10.0.0.0/16')).toBeUndefined();
  });
});

describe('a suggested key', () => {
  const keyOf = (name: string) => {
    const place = placeOf(name);
    if (!place.group) throw new Error(`There is no group ${name}`);
    return { group: place.group, key: 'k', label: 'mail', readable: '1' };
  };

  it('is the only one, is hidden, or leads to its group', () => {
    const place = placeOf('Hosts');
    const only = [{ kind: 'only', text: 'k' }];
    expect(keyReading('ma', keyOf('Hosts'), place).target).toEqual({ filters: only });
    expect(keyReading('-ma', keyOf('Hosts'), place).target).toEqual({ hidden: ['k'] });
    const elsewhere = keyReading('ma', keyOf('Apps'), place).target;
    expect(elsewhere).toMatchObject({ group: '{Apps}', filters: only, hidden: [], prefix: null });
  });

  it('is looked for in the group that is shown, in that of all hosts, and in others', () => {
    const names = (name: string) => searchedGroups(placeOf(name)).map((each) => each.name);
    expect(names('Hosts')).toEqual(['Hosts', 'Apps', 'Rooms']);
    expect(names('Inside')).toEqual(['Inside', 'Apps', 'Rooms']);
    expect(names('Pairs')).toEqual(['Pairs', 'Apps', 'Hosts', 'Rooms']);
  });
});

describe('a filter that is shown', () => {
  it('is typed as it was understood', () => {
    const search = '?only=k&cidr=10.0.0.0/8&outside=10.0.0.1&find=x&match=^a&except=b';
    for (const filter of parseAddress(search).filters) {
      const place = placeOf('Hosts', '');
      const [first] = readingsOf(typedForm(filter), place);
      const expected = filter.kind === 'only' ? { kind: 'find', text: 'k' } : filter;
      expect(first?.target.filters).toEqual([expected]);
    }
    const [port] = readingsOf('-22', placeOf('Pairs'))[0]?.target.filters ?? [];
    expect(port && typedForm(port)).toBe('-22');
    expect(port && filterWords(port)).toEqual({ label: 'Not port', value: '22' });
  });

  it('says how it is combined with the one before it', () => {
    const { filters } = parseAddress('?cidr=a&find=x&cidr=b&outside=c&outside=d');
    const shown = inOrder(filters);
    expect(shown.map((each, i) => [jointOf(each, shown[i - 1] ?? null), each.text])).toEqual([
      [null, 'a'],
      ['or', 'b'],
      ['and', 'c'],
      ['and', 'd'],
      ['and', 'x'],
    ]);
    expect(formatAddress(parseAddress('?cidr=a&cidr=b'))).toContain('cidr=a&cidr=b');
  });
});

describe('the pattern of a port in pairs', () => {
  it('finds exactly the pairs with this port', () => {
    const pattern = RE2JS.compile(portPattern('443'));
    const found = (key: string) => pattern.matcher(key).find();
    expect(found('0A.00.00.01\\01.BB')).toBe(true);
    expect(found('01.BB\\0A.00.00.01')).toBe(true);
    expect(found('0A.00.00.01\\01.BB\\0A.00.00.02')).toBe(true);
    expect(found('0A.00.01.BB\\00.50')).toBe(false);
    expect(found('01.BB.00.01\\00.50')).toBe(false);
    expect(portOfPattern(portPattern('443'))).toBe('443');
    expect(portOfPattern('^443')).toBeNull();
  });
});
