import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyFilter } from '../../../domain/filters/key-filter.ts';
import { formatReadable } from '../../../domain/keys/key-text.ts';
import { runWhole } from '../../../domain/sliced.ts';
import { matchNetworks } from '../../../segments/filter/match-networks.ts';
import { NETWORK_CODEC } from '../../../segments/keys/form-networks.ts';
import { listOf } from '../keys/random-keys.ts';
import { textsIn } from './plain-keys.ts';

/** Readable networks without host bits, of all lengths. */
const network: fc.Arbitrary<string> = fc.constantFrom(
  '0.0.0.0/0',
  '10.0.0.0/8',
  '10.0.0.0/9',
  '10.128.0.0/9',
  '10.1.0.0/16',
  '10.1.2.0/24',
  '10.1.2.128/25',
  '10.1.2.3/32',
  '32.1.13.184/32',
  '11.0.0.0/8',
  '::/0',
  '2001:db8::/32',
  '2001:db8::/33',
  '2001:db8:8000::/33',
  '2001:db8::1/128',
  '2001::/16',
  'a00::/8',
);

const bitsOf = (text: string): string => {
  const key = NETWORK_CODEC.encode(rawOf(text));
  const isShort = key.length === 6;
  const address = [...key].filter((_, i) => i !== 4 && i !== key.length - 1);
  const length = key.at(-1) ?? 0;
  const bits = address.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return `${isShort ? 'short' : 'long'} ${bits.slice(0, length)}`;
};

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** The raw key of a readable network, without the code under test. */
function rawOf(text: string): string {
  const [address = '', length = ''] = text.split('/');
  if (!address.includes(':')) {
    return `${address
      .split('.')
      .map((part) => hex(Number(part)))
      .join('.')}/${hex(Number(length))}`;
  }
  const [head = '', tail = ''] = address.split('::');
  const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const digits = [...before, ...zeros, ...after].map((part) => part.padStart(4, '0')).join('');
  return `${digits.toUpperCase().match(/../g)?.join('.')}/${hex(Number(length))}`;
}

const filters: fc.Arbitrary<KeyFilter> = fc.record(
  {
    cidr: fc.array(network, { maxLength: 3 }),
    excludeCidr: fc.array(network, { maxLength: 3 }),
    keys: fc.array(network, { maxLength: 8 }),
    match: fc.constantFrom('^0A', '/20$'),
    search: fc.constantFrom('/8', '10.1', 'db8'),
  },
  { requiredKeys: [] },
);

describe('networks that pass a filter', () => {
  it('are entirely inside its networks, and have its keys and texts', () => {
    const lists = fc.uniqueArray(network, { maxLength: 17 });
    fc.assert(
      fc.property(lists, filters, (texts, filter) => {
        const { cidr = [], excludeCidr = [], keys = [], match, search } = filter;
        const isInside = (text: string, outer: readonly string[]): boolean =>
          outer.some((each) => bitsOf(text).startsWith(bitsOf(each)));
        const passing = texts.filter((text) => {
          const raw = rawOf(text);
          return (
            (cidr.length === 0 || isInside(text, cidr)) &&
            !isInside(text, excludeCidr) &&
            (keys.length === 0 || keys.includes(text)) &&
            (match === undefined || new RegExp(match).test(raw)) &&
            (search === undefined || formatReadable('subnet', raw).includes(search))
          );
        });
        const list = listOf(texts.map((text) => NETWORK_CODEC.encode(rawOf(text))));
        expect(textsIn(runWhole(matchNetworks(list, filter)), list, NETWORK_CODEC).sort()).toEqual(
          passing.map(rawOf).sort(),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each<[KeyFilter, string]>([
    [{ cidr: ['nonsense'] }, 'cidr must be addresses or networks in CIDR form, got "nonsense"'],
    [{ excludeCidr: ['1.2.3.4/33'] }, 'excludeCidr must be addresses or networks'],
    [{ match: '(' }, 'match'],
  ])('need a valid filter: %j is refused', (filter, message) => {
    expect(() => runWhole(matchNetworks(listOf([]), filter))).toThrow(message);
  });
});
