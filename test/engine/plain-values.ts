import { compareExact, type Exact } from '../../domain/toppers/exact.ts';
import { isListable } from '../../domain/toppers/topper-arithmetic.ts';
import type { NamedMatcher } from '../../engine/plan/key-questions.ts';
import { addKey, emptyKeySet } from '../../segments/filter/key-set.ts';
import { keyAt } from '../../segments/keys/key-list.ts';
import { type PlainSample, plainTable } from '../segments/plain-segments.ts';
import { aggregateAt, type Window } from './random-stores.ts';
import { GROUP, type TestSegment } from './stored-segments.ts';

/** Computes the value of each key by decisions 18, 23 and 24, and returns them by rank. */
export function plainValues(
  store: readonly TestSegment[],
  { meterIndex, window, probeId }: { meterIndex: number; window: Window; probeId: number | null },
): { key: string; value: Exact }[] {
  const list = store
    .filter((segment) => probeId === null || segment.probeId === probeId)
    .flatMap((segment): readonly PlainSample[] => segment.samples)
    .filter(({ bucket }) => bucket >= window.from && bucket < window.to);
  const found: { key: string; value: Exact }[] = [];
  for (const [name, { value: sum, count }] of plainTable(list, Number.POSITIVE_INFINITY)) {
    const [key = '', , at] = name.split(' ');
    const value = { sum, count };
    if (Number(at) === meterIndex && isListable(value, aggregateAt(meterIndex)))
      found.push({ key, value });
  }
  return found.sort((a, b) => compareExact(b.value, a.value) || (a.key < b.key ? -1 : 1));
}

export const passingIfEnds = (digit: string): NamedMatcher => ({
  name: `ends with ${digit}`,
  match: async (keys) => {
    const set = emptyKeySet(keys.count);
    for (let i = 0; i < keys.count; i += 1) {
      if (GROUP.codec.decode(keyAt(keys, i)).endsWith(digit)) addKey(set, i);
    }
    return set;
  },
});
