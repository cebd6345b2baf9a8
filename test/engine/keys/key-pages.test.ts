import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countKeys,
  type ListedKeys,
  readKeyPage,
  sortedKeys,
} from '../../../engine/keys/key-pages.ts';
import { visibleKeys } from '../../../engine/keys/present-keys.ts';
import { keyAt } from '../../../segments/keys/key-list.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { stores } from '../random-stores.ts';
import { GROUP, storeOf } from '../stored-segments.ts';

const extras = fc.subarray(['00.00.00.01', 'C0.A8.01.03', 'C0.A8.01.77', 'FF.00.00.00', 'no key']);

const ending = (digit: string): NonNullable<ListedKeys['matches']> => {
  return async (keys) => (ordinal) => GROUP.codec.decode(keyAt(keys, ordinal)).endsWith(digit);
};

describe('the keys of a group', () => {
  it('come page by page, each once and in order, including keys that only have texts', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        extras,
        fc.record({
          limit: fc.integer({ min: 1, max: 9 }),
          digit: fc.constantFrom(null, '1', '7', '0'),
        }),
        async (contents, texts, { limit, digit }) => {
          const { reader, segments: live } = storeOf(contents);
          const segments = await visibleKeys(reader, live, null);
          const withTexts = await sortedKeys(reader, GROUP.codec, texts);
          const matches = digit === null ? null : ending(digit);
          const listed = { group: GROUP, segments, withTexts, matches, deadline: null };
          const all = new Set(contents.flatMap((each) => each.samples.map(({ key }) => key)));
          for (const key of texts) if (key !== 'no key') all.add(key);
          const wanted = [...all].filter((key) => digit === null || key.endsWith(digit)).sort();
          const found: string[] = [];
          for (;;) {
            const after = found.at(-1) ?? null;
            const page = await readKeyPage(reader, listed, { after, limit });
            found.push(...page.keys);
            expect(page.hasMore).toBe(found.length < wanted.length);
            if (!page.hasMore) break;
            expect(page.keys).toHaveLength(limit);
          }
          expect(found).toEqual(wanted);
          // A cursor that is not a key of the group.
          const rest = await readKeyPage(reader, listed, { after: 'C0.A8.01', limit: 1000 });
          expect(rest.keys).toEqual(wanted.filter((key) => key > 'C0.A8.01'));
          expect(await countKeys(reader, listed)).toBe(wanted.length);
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });
});
