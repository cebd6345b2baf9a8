import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floorTo } from '../../../domain/time/interval.ts';
import type { Exact } from '../../../domain/toppers/exact.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { combine } from '../../../domain/toppers/topper-arithmetic.ts';
import { readGroupSteps } from '../../../engine/series/group-steps.ts';
import { readFineSteps } from '../../../engine/series/step-blocks.ts';
import { stepAt, stepValue } from '../../../engine/series/step-series.ts';
import { plainTable } from '../../segments/plain-segments.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import {
  aggregateAt,
  meterIndexes,
  readOf,
  stores,
  type Window,
  windows,
} from '../random-stores.ts';
import { GROUP, storeOf, type TestSegment } from '../stored-segments.ts';

type Asked = { readonly meterIndex: number; readonly window: Window; readonly stepSeconds: number };

/** Returns, by step, the value of each key in it. */
function plainSteps(store: readonly TestSegment[], { meterIndex, window, stepSeconds }: Asked) {
  const list = store
    .flatMap(({ samples }) => samples)
    .filter(({ bucket }) => bucket >= window.from && bucket < window.to);
  const steps = new Map<number, Map<string, Exact>>();
  for (const [name, { value: sum, count }] of plainTable(list, stepSeconds)) {
    const [key = '', at, of] = name.split(' ');
    if (Number(of) !== meterIndex) continue;
    const step = steps.get(Number(at)) ?? new Map<string, Exact>();
    steps.set(Number(at), step.set(key, { sum, count }));
  }
  return [...steps].sort(([a], [b]) => a - b);
}

const asked = fc.record({
  stepSeconds: fc.constantFrom(60, 120, 180, 300, 3600),
  listed: fc.subarray(['C0.A8.01.00', 'C0.A8.01.01', 'C0.A8.01.05', 'C0.A8.01.FF']),
});

describe('steps of any length over segments', () => {
  it('have the totals of plain arithmetic, and the others without the listed keys', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        meterIndexes,
        asked,
        async (store, window, meterIndex, more) => {
          const { stepSeconds, listed } = more;
          const { reader, segments } = storeOf(store);
          const read = readOf(meterIndex, window, null);
          const reads = [{ group: GROUP, read, stepSeconds, listed, within: null }];
          const [found] = await readGroupSteps(reader, segments, reads, null);
          const aggregate = aggregateAt(meterIndex);
          const wanted = plainSteps(store, { meterIndex, window, stepSeconds }).map(
            ([at, keys]) => ({
              at,
              total: combine(keys.values(), aggregate),
              others: combine(
                [...keys].filter(([key]) => !listed.includes(key)).map(([, value]) => value),
                aggregate,
              ),
            }),
          );
          expect(found).toEqual(wanted);
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });

  it('have the values of each key', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        meterIndexes,
        asked,
        async (store, window, meterIndex, more) => {
          const { stepSeconds } = more;
          const { reader, segments } = storeOf(store);
          const read = readOf(meterIndex, window, null);
          const keys = ['C0.A8.01.00', 'C0.A8.01.01', 'C0.A8.01.FF'];
          const requests = keys.map((key) => ({ group: GROUP, read, stepSeconds, key }));
          const found = await readFineSteps(reader, segments, requests, null);
          const plain = plainSteps(store, { meterIndex, window, stepSeconds });
          for (const [i, key] of keys.entries()) {
            const wanted = plain.flatMap(([at, values]): [number, Exact][] => {
              const value = values.get(key);
              const counts = value && (value.sum !== 0n || !isCounting(aggregateAt(meterIndex)));
              return counts ? [[at, value]] : [];
            });
            const series = found[i];
            if (!series) throw new Error('a series was asked for');
            expect(series.origin).toBe(floorTo(window.from, stepSeconds));
            const steps = Array.from(series.ids, (_, j): [number, Exact] => [
              stepAt(series, j),
              stepValue(series, j),
            ]);
            const counted = steps.filter(
              ([, { sum }]) => sum !== 0n || !isCounting(aggregateAt(meterIndex)),
            );
            expect(counted).toEqual(wanted);
          }
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });
});
