import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileKeyFilter, type KeyFilter } from '../../../domain/filters/key-filter.ts';
import { formatReadable } from '../../../domain/keys/key-text.ts';
import { answerSegments } from '../../../engine/answer/answer-segments.ts';
import { NO_KEYS, readKeyPage } from '../../../engine/keys/key-pages.ts';
import { visibleKeys } from '../../../engine/keys/present-keys.ts';
import type { NamedMatcher } from '../../../engine/plan/key-questions.ts';
import { hasKey } from '../../../segments/filter/key-set.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { readOf, stores } from '../random-stores.ts';
import { GROUP, storeOf, type TestSegment } from '../stored-segments.ts';

const LABELS = { keys: new Map([['C0.A8.01.03', 'printer']]), parts: [] };

const filters: fc.Arbitrary<KeyFilter> = fc.constantFrom<KeyFilter>(
  { match: '^C0\\.A8\\.01\\.0' },
  { exclude: '1$' },
  { cidr: ['192.168.1.0/29'] },
  { keys: ['C0.A8.01.03', 'C0.A8.01.04'] },
  { search: '.1.1' },
  { search: 'print' },
  { match: '[13579]$', excludeCidr: ['192.168.1.16/28'], search: '192' },
);

const allKeys = (store: readonly TestSegment[]) => [
  ...new Set(store.flatMap(({ samples }) => samples.map(({ key }) => key))),
];

/** Returns the keys that pass, tested one by one. */
function plainly(keys: readonly string[], filter: KeyFilter): string[] {
  const test = compileKeyFilter(filter, ['ip'], { match: 'match', exclude: 'exclude' });
  const passes = (key: string): boolean =>
    test({
      key,
      parts: [key],
      readable: () => formatReadable('ip', key),
      label: () => LABELS.keys.get(key) ?? formatReadable('ip', key),
    });
  return keys.filter(passes).sort();
}

describe('filters over segments', () => {
  it('let only passing keys into toppers', async () => {
    await fc.assert(
      fc.asyncProperty(stores, filters, async (store, filter) => {
        const { reader, live } = storeOf(store);
        const { keyKind, partKinds } = GROUP.shape;
        const search = { keyKind, partKinds, filter, labels: LABELS };
        const passing: NamedMatcher = {
          name: JSON.stringify(filter),
          match: (keys) => reader.threadPool.match(keys, search, reader.caller),
        };
        const read = readOf(3, { from: 0, to: 2_000_000_000 }, null);
        const question = { kind: 'top', maxItems: 1000, within: null, passing } as const;
        const asked = [{ group: GROUP, read, question }];
        const [answer] = await answerSegments(reader, live, asked, null);
        const [all] = await answerSegments(
          reader,
          live,
          [{ group: GROUP, read, question: { ...question, passing: null } }],
          null,
        );
        if (answer?.kind !== 'top' || all?.kind !== 'top')
          throw new Error('toppers were asked for');
        const measured = all.listed.map(({ key }) => key);
        expect(answer.listed.map(({ key }) => key).sort()).toEqual(plainly(measured, filter));
      }),
      { numRuns: FUZZ_CASES },
    );
  });

  it('with a search find keys page by page, by labels too', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        fc.constantFrom('.1.1', 'PRINT', 'c0', '::'),
        async (store, text) => {
          const { reader, segments: live } = storeOf(store);
          const segments = await visibleKeys(reader, live, null);
          const { keyKind, partKinds } = GROUP.shape;
          const search = { keyKind, partKinds, filter: { search: text }, labels: LABELS };
          const matches = async (keys: KeyList) => {
            const found = await reader.threadPool.match(keys, search, reader.caller);
            return (ordinal: number) => hasKey(found, ordinal);
          };
          const listed = { group: GROUP, segments, withTexts: NO_KEYS, matches, deadline: null };
          const page = await readKeyPage(reader, listed, { after: null, limit: 1000 });
          expect(page.keys).toEqual(plainly(allKeys(store), { search: text }));
        },
      ),
      { numRuns: Math.ceil(FUZZ_CASES / 2) },
    );
  });
});
