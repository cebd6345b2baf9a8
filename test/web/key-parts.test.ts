import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  otherParts,
  partsOf,
  shownText,
  splitParts,
  tellApart,
} from '../../web/src/data/key-parts.ts';

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
    expect(otherParts(partsOf(row, group), 'H', 'x').map(({ label }) => label)).toEqual(['X']);
  });
});

describe('keys with the same label', () => {
  const row = (key: string, label: string) => ({ key, label, readable: `readable ${key}` });

  it('are shown with their readable keys, others without', () => {
    const labels = tellApart([row('a', 'twin'), row('b', 'twin'), row('c', 'only')], ALONE);
    expect([...labels.values()]).toEqual(['twin (readable a)', 'twin (readable b)', 'only']);
  });

  it('are several keys, not one that is listed twice', () => {
    expect([...tellApart([row('a', 'A'), row('a', 'A')], ALONE).values()]).toEqual(['A']);
  });

  it('cannot change the order of the readable key after them', () => {
    const labels = tellApart([row('a', 'אב'), row('b', 'אב')], ALONE);
    expect([...labels.values()]).toEqual([
      '\u2068אב\u2069 (readable a)',
      '\u2068אב\u2069 (readable b)',
    ]);
  });

  const ALONE = { crosskey: null };
});
