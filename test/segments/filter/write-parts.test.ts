import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../../domain/keys/address-text.ts';
import { writeDecimal, writeIpv6 } from '../../../segments/filter/spelling/write-parts.ts';

const textOf = (write: (into: Uint8Array) => number): string => {
  const into = new Uint8Array(64).fill(0x3f);
  return Buffer.from(into.subarray(0, write(into))).toString('latin1');
};

/** Mostly zeros, so that runs of zeros of all lengths occur. */
const group = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(1, 0xa, 0x10, 0xff, 0x100, 0x1000, 0xffff) },
  { weight: 1, arbitrary: fc.nat(0xffff) },
);
const ADDRESS = fc
  .oneof(
    fc.array(group, { minLength: 8, maxLength: 8 }),
    fc.tuple(group, group).map(([high, low]) => [0, 0, 0, 0, 0, 0xffff, high, low]),
  )
  .map((groups) => groups.flatMap((each) => [each >> 8, each & 0xff]));

describe('an IPv6 address', () => {
  it('is written as formatAddress does', () => {
    fc.assert(
      fc.property(ADDRESS, (bytes) => {
        const written = textOf((into) => writeIpv6(Uint8Array.from(bytes), into));
        expect(written).toBe(formatAddress(bytes));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a decimal number', () => {
  it('is written as JavaScript does', () => {
    const edges = Array.from({ length: 10 }, (_, i) => [10 ** i - 1, 10 ** i]).flat();
    const number = fc.oneof(fc.constantFrom(...edges, 2 ** 32 - 1), fc.nat(2 ** 32 - 1));
    fc.assert(
      fc.property(number, (value) => {
        expect(textOf((into) => writeDecimal(value, into, 0))).toBe(String(value));
      }),
      { numRuns: 1000 },
    );
  });
});
