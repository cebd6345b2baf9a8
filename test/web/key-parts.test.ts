import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  distinctLabels,
  otherParts,
  partsOf,
  readableBeside,
  shownLabel,
  shownText,
  splitParts,
} from '../../web/src/data/key-parts.ts';

const ALONE = { crosskey: null };

describe('the parts of a pair', () => {
  it('are split at single backslashes, and doubled ones are part of a text', () => {
    expect(splitParts('a\\b')).toEqual(['a', 'b']);
    expect(splitParts('a\\\\b\\c')).toEqual(['a\\b', 'c']);
    expect(splitParts('\\')).toEqual(['', '']);
    const doubled = (text: string) => text.replaceAll('\\', '\\\\');
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }),
        (parts) => {
          // Read from left to right, only the first part could begin with a backslash
          // (domain/keys/cross-key.ts).
          fc.pre(parts.every((part) => !part.startsWith('\\')));
          expect(splitParts(parts.map(doubled).join('\\'))).toEqual(parts);
        },
      ),
    );
  });

  it('cannot change the order of other parts', () => {
    const group = { crosskey: { parentGuid: 'H', crosskeyGuid1: 'H', crosskeyGuid2: null } };
    expect(shownText('a\u202Eb\\c', group)).toBe('\u2068a\u202Eb\u2069 × c');
  });

  it('are shown, except for the one that was drilled into', () => {
    const group = { crosskey: { parentGuid: 'H', crosskeyGuid1: 'H', crosskeyGuid2: null } };
    const row = { key: 'x\\x', label: 'X\\X', readable: 'x\\x' };
    expect(otherParts(partsOf(row, group), ['H'], 'x').map(({ label }) => label)).toEqual(['X']);
  });
});

describe('a label without visible characters', () => {
  const PAIR = { crosskey: { parentGuid: 'H', crosskeyGuid1: 'H', crosskeyGuid2: null } };

  it.each(['', ' ', '\u00a0', '\u200b', '\u200f', '\u3164', '\ufeff', '\u0301', '\u2800\u0007'])(
    'gives way to the readable key: %j',
    (label) => {
      const row = { key: 'A', label, readable: '10.0.0.1' };
      expect(shownLabel(row, ALONE)).toBe('10.0.0.1');
      expect(readableBeside(row, ALONE)).toBeNull();
      expect([...distinctLabels([row, { ...row, key: 'B' }], ALONE).values()]).toEqual(
        Array(2).fill('10.0.0.1'),
      );
    },
  );

  it.each(['a', '0', '\u200bx', 'ا', '👩‍👩‍👧', 'a\u0301'])('is not %j', (label) => {
    const row = { key: 'A', label, readable: '10.0.0.1' };
    expect(shownLabel(row, ALONE)).toBe(label);
    expect(readableBeside(row, ALONE)).toBe('10.0.0.1');
  });

  it('may be that of one part of a pair', () => {
    const row = { key: 'x\\y', label: 'printer\\\u200b', readable: '10.0.0.1\\10.0.0.2' };
    expect(shownLabel(row, PAIR)).toBe('printer × 10.0.0.2');
    expect(partsOf(row, PAIR).map(({ label }) => label)).toEqual(['printer', '10.0.0.2']);
  });

  it('has its characters named if the readable key has no visible ones either', () => {
    expect(shownLabel({ label: '', readable: '\u200b\u{e0001}' }, ALONE)).toBe('U+200B U+E0001');
  });
});

describe('keys with the same label', () => {
  const row = (key: string, label: string) => ({ key, label, readable: `readable ${key}` });

  it('are shown with their readable keys, others without', () => {
    const labels = distinctLabels([row('a', 'twin'), row('b', 'twin'), row('c', 'only')], ALONE);
    expect([...labels.values()]).toEqual(['twin (readable a)', 'twin (readable b)', 'only']);
  });

  it('are several keys, not one that is listed twice', () => {
    expect([...distinctLabels([row('a', 'A'), row('a', 'A')], ALONE).values()]).toEqual(['A']);
  });

  it('cannot change the order of the readable key after them', () => {
    const labels = distinctLabels([row('a', 'אב'), row('b', 'אב')], ALONE);
    expect([...labels.values()]).toEqual([
      '\u2068אב\u2069 (readable a)',
      '\u2068אב\u2069 (readable b)',
    ]);
  });
});
