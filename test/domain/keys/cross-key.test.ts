import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinCrossKey, parseCrossKey, splitCrossKey } from '../../../domain/keys/cross-key.ts';
import { LIMITS } from '../../../domain/limits.ts';

const raw = String.raw;

describe('splitting a cross-key', () => {
  it.each([
    [raw`C0.A8.01.0A\00.50`, ['C0.A8.01.0A', '00.50'], 'two parts'],
    [raw`a\b\c`, ['a', 'b', 'c'], 'three parts'],
    [raw`a\\b\c`, [raw`a\b`, 'c'], 'a backslash within a part'],
    [raw`\\a\b`, [raw`\a`, 'b'], 'a backslash that begins the first part'],
    ['a\\b\\\\', ['a', 'b\\'], 'a backslash that ends the last part'],
    [raw`a\\\b`, ['a\\', 'b'], 'of three backslashes, the first two stand for one within a part'],
    [raw`a\\\\\b`, [raw`a\\`, 'b'], 'of five backslashes, the first four stand for two'],
    ['😀\\é', ['😀', 'é'], 'any characters'],
    ['a \\\n', ['a ', '\n'], 'white space is kept'],
  ])('%j gives %j: %s', (text, parts) => {
    expect(splitCrossKey(text)).toEqual(parts);
    expect(joinCrossKey(parts)).toBe(text);
  });

  it.each([
    ['', 'nothing'],
    ['a', 'one part'],
    [raw`a\\b`, 'one part with a backslash in it'],
    [raw`a\b\c\d`, 'four parts'],
    [raw`\a`, 'an empty first part'],
    ['a\\', 'an empty last part'],
    ['\\', 'two empty parts'],
    ['\\\\', 'one part, a backslash'],
    [raw`a\\\\b`, 'two escaped backslashes within one part'],
  ])('%j gives null: %s', (text) => {
    expect(splitCrossKey(text)).toBeNull();
  });

  it('returns the joined parts, unless a later part begins with a backslash', () => {
    const part = fc.string({ unit: fc.constantFrom('a', '\\', 'é'), minLength: 1, maxLength: 6 });
    const later = part.filter((text) => !text.startsWith('\\'));
    const parts = fc
      .tuple(part, fc.array(later, { minLength: 1, maxLength: 2 }))
      .map(([a, b]) => [a, ...b]);
    fc.assert(
      fc.property(parts, (joined) => {
        expect(splitCrossKey(joinCrossKey(joined))).toEqual(joined);
      }),
    );
  });

  it('gives parts that join to the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\\'), maxLength: 12 }), (text) => {
        const parts = splitCrossKey(text);
        if (parts !== null) expect(joinCrossKey(parts)).toBe(text);
      }),
    );
  });
});

describe('parsing a cross-key', () => {
  it('brings each part to its canonical form', () => {
    expect(parseCrossKey(['ip', 'port'], raw`c0.a8.01.0a\00.5b`)).toEqual({
      key: raw`C0.A8.01.0A\00.5B`,
      parts: ['C0.A8.01.0A', '00.5B'],
    });
  });

  it('keeps a backslash within a text part escaped', () => {
    expect(parseCrossKey(['text', 'protocol'], raw`C:\\x\06`)).toEqual({
      key: raw`C:\\x\06`,
      parts: [raw`C:\x`, '06'],
    });
  });

  it.each([
    [raw`C0.A8.01.0A\00.50\06`, 'one part too many'],
    ['C0.A8.01.0A', 'one part too few'],
    [raw`00.50\C0.A8.01.0A`, 'parts in the wrong order'],
    [raw`192.168.1.10\80`, 'readable parts'],
    [raw`C0.A8.01.0A\00.50\ `, 'something after the parts'],
    ['', 'nothing'],
  ])('refuses %j: %s', (text) => {
    expect(parseCrossKey(['ip', 'port'], text)).toBeNull();
  });

  it('limits the length of the whole key, escapes included', () => {
    const kinds = ['text', 'text', 'text'] as const;
    // Escaped: 1024 bytes, 1023 and 551, and two separators.
    const parts = ['\\'.repeat(512), `a${'\\'.repeat(511)}`, `b${'\\'.repeat(275)}`];
    const longest = joinCrossKey(parts);
    expect(Buffer.byteLength(longest)).toBe(LIMITS.crossKeyBytes);
    expect(parseCrossKey(kinds, longest)).toEqual({ key: longest, parts });
    expect(parseCrossKey(kinds, `${longest}c`)).toBeNull();
  });
});
