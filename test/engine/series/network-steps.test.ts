import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floorTo } from '../../../domain/time/interval.ts';
import type { Exact } from '../../../domain/toppers/exact.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { combine } from '../../../domain/toppers/topper-arithmetic.ts';
import { readGroupSteps } from '../../../engine/series/group-steps.ts';
import { readNetworkSteps } from '../../../engine/series/network-steps.ts';
import { stepAt, stepValue } from '../../../engine/series/step-series.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { type Asked, lengths, plainSteps } from '../plain-networks.ts';
import { aggregateAt, meterIndexes, readOf, stores, windows } from '../random-stores.ts';
import { GROUP, storeOf } from '../stored-segments.ts';

const asked = fc.record({
  meterIndex: meterIndexes,
  probeId: fc.constantFrom(null, 0, 5),
  prefix: lengths,
  stepSeconds: fc.constantFrom(60, 120, 300, 600, 3600),
});

/** Drops the zeros of counters: a missing step of a counter also counts as 0. */
const told = (steps: readonly [number, Exact][], { meterIndex }: Asked): [number, Exact][] =>
  steps
    .filter(([, { sum }]) => sum !== 0n || !isCounting(aggregateAt(meterIndex)))
    .toSorted(([a], [b]) => a - b);

describe('series of networks', () => {
  it('equal plain arithmetic, however little is in memory at once', async () => {
    const sizes = fc.record({
      readingsAtOnce: fc.constantFrom(1, 20, 1e6),
      valuesAtOnce: fc.constantFrom(1, 7, 1e6),
    });
    await fc.assert(
      fc.asyncProperty(stores, windows, asked, sizes, async (store, window, each, sizesAtOnce) => {
        const { stepSeconds, ...more } = each;
        const { reader, segments } = storeOf(store);
        const read = { ...readOf(each.meterIndex, window, each.probeId), prefix: each.prefix };
        const wanted = plainSteps(store, window, { ...more, step: stepSeconds });
        const keys = [...wanted.keys(), 'FF.00.00.00/08'];
        const requests = keys.map((key) => ({ group: GROUP, read, stepSeconds, key }));
        const found = await readNetworkSteps(reader, segments, requests, {
          deadline: null,
          sizes: sizesAtOnce,
        });
        for (const [i, key] of keys.entries()) {
          const series = found[i];
          if (!series) throw new Error('a series was asked for');
          expect(series.origin).toBe(floorTo(window.from, stepSeconds));
          const steps = Array.from(series.ids, (_, index): [number, Exact] => [
            stepAt(series, index),
            stepValue(series, index),
          ]);
          expect(told(steps, each)).toEqual(told(wanted.get(key) ?? [], each));
        }
      }),
      { numRuns: FUZZ_CASES },
    );
  });

  it('are read in one statement', async () => {
    const readings = Array.from({ length: 5 }, () => ({ value: 3n, count: 1n }));
    const samples = ['C0.A8.01.01', 'C0.A8.02.01'].flatMap((key) =>
      [0, 60, 400, 4000].map((at) => ({
        key,
        bucket: 1_752_537_600 + at,
        readings: [...readings.slice(0, 2), null, ...readings.slice(2)],
      })),
    );
    const { reader, segments, statements } = storeOf([{ probeId: 0, samples }]);
    const window = { from: 1_752_537_600, to: 1_752_537_600 + 5000 };
    const prefix = { ipv4: 24, ipv6: 48 };
    const requests = [300, 600].flatMap((stepSeconds) =>
      ['C0.A8.01.00/18', 'C0.A8.02.00/18'].map((key) => ({
        group: GROUP,
        read: { ...readOf(0, window, null), prefix },
        stepSeconds,
        key,
      })),
    );
    await readNetworkSteps(reader, segments, requests, { deadline: null });
    expect(statements()).toBe(1);
  });
});

describe('the others besides listed networks', () => {
  it('equal plain arithmetic in each step', async () => {
    await fc.assert(
      fc.asyncProperty(stores, windows, asked, fc.nat(), async (store, window, each, seed) => {
        const { stepSeconds, meterIndex, probeId, prefix } = each;
        const { reader, segments } = storeOf(store);
        const read = { ...readOf(meterIndex, window, probeId), prefix };
        const networks = plainSteps(store, window, { ...each, step: stepSeconds });
        const listed = [...networks.keys()].filter((_, i) => ((seed >> (i % 20)) & 1) === 1);
        const reads = [{ group: GROUP, read, stepSeconds, listed, within: null }];
        const [found] = await readGroupSteps(reader, segments, reads, null);
        const byStep = new Map<number, [string, Exact][]>();
        for (const [network, steps] of networks) {
          for (const [at, value] of steps) {
            byStep.set(at, [...(byStep.get(at) ?? []), [network, value]]);
          }
        }
        const valuesOf = (list: readonly [string, Exact][]) => list.map(([, value]) => value);
        expect(found).toEqual(
          [...byStep]
            .sort(([a], [b]) => a - b)
            .map(([at, list]) => ({
              at,
              total: combine(valuesOf(list), aggregateAt(meterIndex)),
              others: combine(
                valuesOf(list.filter(([network]) => !listed.includes(network))),
                aggregateAt(meterIndex),
              ),
            })),
        );
      }),
      { numRuns: FUZZ_CASES },
    );
  });
});
