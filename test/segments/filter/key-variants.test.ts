import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { keyVariantsOf } from '../../../segments/filter/spelling/key-variants.ts';
import { type KeyList, keyStart } from '../../../segments/keys/key-list.ts';
import {
  ALL_PAIRS,
  ALL_TRIPLES,
  codecOf,
  listOf,
  rawKeys,
  SIMPLE_KINDS,
} from '../keys/random-keys.ts';

const V4 = 'C0.A8.01.0A';
const V6 = '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01';
const V6_OTHER = '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.02';

const listOfRaws = (kinds: readonly SimpleKeyKind[], raws: readonly string[]): KeyList =>
  listOf(raws.map(codecOf(kinds).encode));

describe('the variant of all keys of a list', () => {
  const variantOf = (kinds: readonly SimpleKeyKind[], raws: readonly string[]): number | null =>
    keyVariantsOf(codecOf(kinds)).ofAll(listOfRaws(kinds, raws));

  it('is known if all addresses are of the same family', () => {
    expect(variantOf(['ip'], [V4, '0A.00.00.01'])).toBe(0);
    expect(variantOf(['ip'], [V6, V6_OTHER])).toBe(1);
    expect(variantOf(['ip', 'port', 'ip'], [`${V6}\\00.50\\${V6_OTHER}`])).toBe(0b101);
  });

  it('is not known if they are of both families', () => {
    expect(variantOf(['ip'], [V4, V6])).toBeNull();
    expect(variantOf(['ip', 'ip'], [`${V4}\\${V6}`])).toBeNull();
  });

  it('is that of each of its keys', () => {
    const any = fc.constantFrom(
      ...SIMPLE_KINDS.map((kind) => [kind]),
      ...ALL_PAIRS,
      ...ALL_TRIPLES,
    );
    const lists = any.chain((kinds) =>
      fc.record({
        kinds: fc.constant(kinds),
        raws: fc.array(rawKeys(kinds), { minLength: 1, maxLength: 4 }),
      }),
    );
    fc.assert(
      fc.property(lists, ({ kinds, raws }) => {
        const keys = listOfRaws(kinds, raws);
        const variants = keyVariantsOf(codecOf(kinds));
        const ofAll = variants.ofAll(keys);
        const ofEach = Array.from({ length: keys.count }, (_, i) =>
          variants.of(keys.bytes, keyStart(keys, i), keys.ends[i] as number),
        );
        expect(ofAll === null || ofEach.every((variant) => variant === ofAll)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
