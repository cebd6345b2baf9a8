import fc from 'fast-check';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import type { MeterScan } from '../../engine/plan/meter-scan.ts';
import { ALL_PROBES } from '../../store/roll-up/plan-roll-up.ts';
import { AGGREGATES, samples } from '../segments/plain-segments.ts';
import { GROUP, type TestRollUp, type TestSegment } from './stored-segments.ts';

const FIRST = 1_752_537_600;

/** Some segments, with or without a probe, whose times may overlap. */
export const stores: fc.Arbitrary<TestSegment[]> = fc.array(
  fc.record({ probeId: fc.constantFrom(0, 5), samples }),
  { minLength: 1, maxLength: 6 },
);

export type Window = { readonly from: number; readonly to: number };

/** A window that begins and ends within, between or outside the readings. */
export const windows: fc.Arbitrary<Window> = fc
  .tuple(fc.integer({ min: -100, max: 260 }), fc.nat({ max: 300 }), fc.nat({ max: 59 }))
  .map(([first, length, more]) => ({
    from: FIRST + 60 * first + more,
    to: FIRST + 60 * (first + length) + more + 1,
  }));

/** Indexes of meters that take readings. */
export const meterIndexes = fc.constantFrom(
  ...AGGREGATES.flatMap((aggregate, meterIndex) => (aggregate === null ? [] : [meterIndex])),
);

export function aggregateAt(meterIndex: number): Aggregate {
  const aggregate = AGGREGATES[meterIndex];
  if (!aggregate) throw new Error('the meter takes readings');
  return aggregate;
}

export const readOf = (
  meterIndex: number,
  interval: Window,
  probeId: number | null,
): MeterScan => ({
  groupId: GROUP.groupId,
  bucketSeconds: 60,
  meterIndex,
  aggregate: aggregateAt(meterIndex),
  probeId,
  interval,
  prefix: null,
});

/**
 * Chooses roll-ups of segments and of other roll-ups, of one probe or of all, by the numbers of the
 * seed. Roll-ups of the same probe share a source only if one of them contains the other.
 */
export function rollUpsOf(store: readonly TestSegment[], seed: readonly number[]): TestRollUp[] {
  const made: TestRollUp[] = [];
  for (const probeId of [ALL_PROBES, 0, 5]) {
    // Ids as in the test store: segments from 1, then roll-ups.
    let free = store.flatMap((segment, i) =>
      probeId === ALL_PROBES || segment.probeId === probeId ? [i + 1] : [],
    );
    for (const number of seed) {
      const sources = free.filter((id) => ((number >> (id % 20)) & 1) === 1);
      if (sources.length < 2) continue;
      made.push({ probeId, sources });
      free = [...free.filter((id) => !sources.includes(id)), store.length + made.length];
    }
  }
  return made;
}
