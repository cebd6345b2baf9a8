import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinCrossKey } from '../../../domain/keys/cross-key.ts';
import { runWhole } from '../../../domain/sliced.ts';
import { ordinalsWithin, ordinalsWithinEach } from '../../../engine/keys/keys-within.ts';
import { keyAt } from '../../../segments/keys/key-list.ts';
import { codecOf, listOf, rawParts, SOME_KINDS } from '../../segments/keys/random-keys.ts';

const CROSS_KINDS = SOME_KINDS.filter(({ length }) => length > 1);

it('finds the same cross-keys with a key in certain parts as a comparison of all texts', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CROSS_KINDS).chain((kinds) =>
        fc.tuple(
          fc.constant(kinds),
          fc.array(rawParts(kinds), { minLength: 1, maxLength: 40 }),
          fc.array(fc.tuple(fc.nat(), fc.subarray(kinds.map((_, part) => part))), {
            maxLength: 6,
          }),
        ),
      ),
      ([kinds, all, wanted]) => {
        const codec = codecOf(kinds);
        const keys = listOf(all.map((parts) => codec.encode(joinCrossKey(parts))));
        const partsOf = new Map(all.map((parts) => [joinCrossKey(parts), parts]));
        const withins = wanted.map(([which, parts]) => {
          const texts = all[which % all.length] ?? [];
          const chosen = which % kinds.length;
          // A key is looked for only in parts of its own kind.
          const ofItsKind = parts.filter((part) => kinds[part] === kinds[chosen]);
          return { parts: ofItsKind, key: texts[chosen] ?? '' };
        });
        const found = runWhole(ordinalsWithinEach(withins, { keys, codec }));
        for (const within of withins) {
          const plain = Array.from({ length: keys.count }, (_, ordinal) => ordinal).filter(
            (ordinal) => {
              const texts = partsOf.get(codec.decode(keyAt(keys, ordinal))) ?? [];
              return within.parts.some((part) => texts[part] === within.key);
            },
          );
          expect(found.get(within)).toEqual(plain);
          expect(runWhole(ordinalsWithin(within, { keys, codec }))).toEqual(plain);
        }
      },
    ),
    { numRuns: 300 },
  );
});
