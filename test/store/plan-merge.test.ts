import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GENERATION_SECONDS } from '../../domain/slices/page-generation.ts';
import { isSealed, SEALED_LEVEL, SETTLED_LEVEL } from '../../domain/slices/segment-level.ts';
import { mergeRanges } from '../../segments/merge/merge-ranges.ts';
import { readRange } from '../../segments/pages/read-range.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import {
  countWaiting,
  MAX_INPUTS,
  type MergeCandidate,
  planMerge,
  SEAL_AFTER_SECONDS,
} from '../../store/merge/plan-merge.ts';
import {
  CODEC,
  gather,
  openSegment,
  type PlainSegment,
  SHAPE,
  spanOf,
  writeRanges,
} from '../segments/plain-segments.ts';
import { DAY, DAY_START, minute } from './store-lab.ts';

const ENDS_AT = DAY_START + DAY;
const QUIET = ENDS_AT + SEAL_AFTER_SECONDS;

/** A segment of the minute `number`, imported when that was over. */
const candidate = (number: number, more: Partial<MergeCandidate> = {}): MergeCandidate => ({
  segmentId: number + 1,
  level: 0,
  firstBucket: DAY_START + 60 * number,
  lastBucket: DAY_START + 60 * number,
  sizeBytes: 1000,
  importedAt: DAY_START + 60 * (number + 1),
  ...more,
});

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

const plan = (
  segments: readonly MergeCandidate[],
  now: number,
  sealAfterSeconds = SEAL_AFTER_SECONDS,
) => {
  const next = planMerge(segments, { endsAt: ENDS_AT, now, sealAfterSeconds });
  return next && { level: next.level, ids: next.inputs.map(({ segmentId }) => segmentId) };
};

const minutes = (numbers: readonly number[], more: Partial<MergeCandidate> = {}) =>
  numbers.map((number) => candidate(number, more));

describe('a plan for a slice that is being filled', () => {
  it('waits for twelve segments of a level', () => {
    expect(plan(minutes(range(0, 11)), DAY_START + 720)).toBeNull();
    expect(plan(minutes(range(0, 12)), DAY_START + 720)).toEqual({ level: 1, ids: range(1, 13) });
  });

  it('takes the lowest level that has twelve', () => {
    const low = minutes(range(100, 112));
    const high = minutes(range(0, 12), { level: 2 });
    expect(plan([...high, ...low], DAY_START + 7200)?.level).toBe(1);
    expect(plan([...high, ...low.slice(1)], DAY_START + 7200)?.level).toBe(3);
  });

  it('takes the segments that are closest in time, in whatever order they came', () => {
    const segments = minutes([0, ...range(50, 62)]).toReversed();
    expect(plan(segments, DAY_START + 7200)?.ids).toEqual(range(51, 63));
  });

  it('leaves sealed segments alone', () => {
    const sealed = minutes(range(20, 40), { level: SEALED_LEVEL });
    expect(plan([...sealed, ...minutes(range(0, 11))], DAY_START + 7200)).toBeNull();
  });
});

describe('a plan for a generation that is over', () => {
  const over = DAY_START + GENERATION_SECONDS + SEAL_AFTER_SECONDS;

  it('settles its live segments, even a single one, a quarter of an hour later', () => {
    const own = [candidate(0, { level: 1 }), candidate(118)];
    const next = [candidate(119), candidate(120)];
    expect(plan([...own, ...next], over - 1)).toBeNull();
    expect(plan([...own, ...next], over)).toEqual({ level: SETTLED_LEVEL, ids: [1, 119] });
    expect(plan([candidate(5)], over)).toEqual({ level: SETTLED_LEVEL, ids: [6] });
    const time = { endsAt: ENDS_AT, sealAfterSeconds: SEAL_AFTER_SECONDS };
    expect(countWaiting([...own, ...next], { ...time, now: over - 1 })).toBe(0);
    expect(countWaiting([...own, ...next], { ...time, now: over })).toBe(2);
  });

  it('merges by levels first if there are too many segments for one merge', () => {
    const many = minutes(range(0, MAX_INPUTS + 1));
    expect(plan(many, over)).toEqual({ level: 1, ids: range(1, 13) });
    expect(plan(many.slice(1), over)?.level).toBe(SETTLED_LEVEL);
  });

  it('leaves settled segments alone until there are many more than a day has', () => {
    const settled = (count: number) =>
      range(0, count).map((i) => candidate(120 * i, { level: SETTLED_LEVEL }));
    expect(plan(settled(12), DAY_START + DAY)).toBeNull();
    expect(plan(settled(23), DAY_START + DAY)).toBeNull();
    expect(plan(settled(24), DAY_START + DAY)?.level).toBe(SETTLED_LEVEL + 1);
  });

  it('is the only one that settles: merges by levels never reach the settled level', () => {
    const high = minutes(range(100, 112), { level: SETTLED_LEVEL - 1 });
    expect(plan(high, DAY_START + 7200)?.level).toBe(SETTLED_LEVEL - 1);
  });
});

describe('a plan for a slice that is over', () => {
  it('seals all segments, even a single one, when none has come for a while', () => {
    const last = [candidate(1439)];
    expect(plan(last, QUIET - 1)).toBeNull();
    expect(plan(last, QUIET)).toEqual({ level: SEALED_LEVEL, ids: [1440] });
    const late = [candidate(1439, { importedAt: QUIET })];
    expect(plan(late, QUIET + SEAL_AFTER_SECONDS - 1)).toBeNull();
    expect(plan(late, QUIET + SEAL_AFTER_SECONDS)?.level).toBe(SEALED_LEVEL);
  });

  it('seals at once if nothing more is known to come', () => {
    const late = [candidate(1439, { importedAt: QUIET })];
    expect(plan(late, QUIET, 0)?.level).toBe(SEALED_LEVEL);
  });

  it('merges late segments by levels, as before', () => {
    const late = minutes(range(0, 12), { importedAt: QUIET });
    expect(plan(late, QUIET + 1)?.level).toBe(1);
  });

  it('has nothing to do when all is sealed', () => {
    expect(plan([candidate(1, { level: SEALED_LEVEL })], QUIET + DAY)).toBeNull();
    expect(plan([], QUIET)).toBeNull();
  });

  it('takes in a sealed segment only if it is at most twice as large as the new ones', () => {
    const late = [candidate(5, { sizeBytes: 500 }), candidate(6, { sizeBytes: 500 })];
    const sealed = (sizeBytes: number) => candidate(0, { level: SEALED_LEVEL, sizeBytes });
    expect(plan([sealed(2000), ...late], QUIET)?.ids).toEqual([6, 7, 1]);
    expect(plan([sealed(2001), ...late], QUIET)?.ids).toEqual([6, 7]);
  });

  it('takes in a larger sealed segment because of the smaller ones that it takes in', () => {
    const sealed = [
      candidate(0, { level: SEALED_LEVEL, sizeBytes: 6000 }),
      candidate(1, { level: SEALED_LEVEL, sizeBytes: 2000 }),
    ];
    expect(plan([...sealed, candidate(5, { sizeBytes: 1000 })], QUIET)?.ids).toEqual([6, 2, 1]);
  });

  it('leaves sealed segments that are each more than twice the sum of all smaller ones', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1 }), (sizes) => {
        let live: MergeCandidate[] = [];
        for (const [i, sizeBytes] of sizes.entries()) {
          live = mergeAll([...live, candidate(i, { segmentId: 1000 * i, sizeBytes })], QUIET).live;
          let smaller = 0;
          for (const each of live.map((segment) => segment.sizeBytes).sort((a, b) => a - b)) {
            expect(each).toBeGreaterThan(2 * smaller);
            smaller += each;
          }
        }
        expect(sizeOf(live)).toBe(sizes.reduce((so, each) => so + each));
      }),
    );
  });

  it('never has more inputs than a merge may have, and the merges come to an end', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            level: fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8),
            sizeBytes: fc.integer({ min: 1, max: 1_000_000 }),
          }),
          { minLength: 1, maxLength: 120 },
        ),
        (list) => {
          let live = list.map((more, i) => candidate(i, more));
          for (let merges = 0; merges < 100; merges += 1) {
            const next = planMerge(live, {
              endsAt: ENDS_AT,
              now: QUIET,
              sealAfterSeconds: SEAL_AFTER_SECONDS,
            });
            if (!next) break;
            expect(next.inputs.length).toBeLessThanOrEqual(MAX_INPUTS);
            live = replaced(live, next.inputs, { level: next.level, segmentId: 1000 + merges });
          }
          expect(live).toHaveLength(1);
          expect(live[0]?.level).toBe(SEALED_LEVEL);
        },
      ),
    );
  });
});

/** Replaces inputs by one segment, whose size is the sum of theirs unless `merged` has one. */
function replaced<Segment extends MergeCandidate>(
  live: readonly Segment[],
  inputs: readonly Segment[],
  merged: Partial<Segment> & { segmentId: number; level: number },
): Segment[] {
  const [first] = inputs;
  if (!first) throw new Error('a merge has inputs');
  const result: Segment = {
    ...first,
    firstBucket: Math.min(...inputs.map(({ firstBucket }) => firstBucket)),
    lastBucket: Math.max(...inputs.map(({ lastBucket }) => lastBucket)),
    importedAt: Math.max(...inputs.map(({ importedAt }) => importedAt)),
    sizeBytes: inputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...merged,
  };
  return [...live.filter((segment) => !inputs.includes(segment)), result];
}

/** Does all merges that are due at `now`; returns the live segments and the bytes written. */
function mergeAll(segments: readonly MergeCandidate[], now: number) {
  let live = [...segments];
  let written = 0;
  for (;;) {
    const time = { endsAt: ENDS_AT, now, sealAfterSeconds: SEAL_AFTER_SECONDS };
    const next = planMerge(live, time);
    if (!next) return { live, written };
    const segmentId = Math.max(...live.map((each) => each.segmentId)) + 1;
    live = replaced(live, next.inputs, { level: next.level, segmentId });
    written += next.inputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
}

const sizeOf = (segments: readonly MergeCandidate[]) =>
  segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

describe('the amount written in a day of one-minute commits', () => {
  it('is under five times what is stored, if a merged segment is as large as its inputs', () => {
    let live: MergeCandidate[] = [];
    let written = 0;
    let most = 0;
    for (const number of range(0, 1440)) {
      const now = DAY_START + 60 * (number + 1);
      const merged = mergeAll([...live, candidate(number)], now);
      live = merged.live;
      written += 1000 + merged.written;
      most = Math.max(most, live.length);
    }
    const sealed = mergeAll(live, QUIET);
    written += sealed.written;
    expect(sealed.live).toHaveLength(1);
    expect(written / sizeOf(sealed.live)).toBeLessThan(5);
    expect(most).toBeLessThanOrEqual(11 + 10 + 12);
  });

  it('is under six times in bytes of real segments, which get denser by merging', async () => {
    type Written = MergeCandidate & { readonly segment: PlainSegment };
    const sizeBytesOf = ({ directory, pages }: PlainSegment): number =>
      pages.reduce((sum, { length }) => sum + length, directory.length);
    let live: Written[] = [];
    let written = 0;
    const merge = async (now: number): Promise<void> => {
      for (;;) {
        const time = { endsAt: ENDS_AT, now, sealAfterSeconds: SEAL_AFTER_SECONDS };
        const next = planMerge(live, time);
        if (!next) return;
        const segment = await merged(next.inputs);
        const sizeBytes = sizeBytesOf(segment);
        written += sizeBytes;
        const segmentId = 10_000 + written;
        live = replaced(live, next.inputs, { level: next.level, segmentId, segment, sizeBytes });
      }
    };
    for (const number of range(0, 1440)) {
      const list = minute(number, 60);
      const segment = writeRanges(gather(list).ranges(), spanOf(list));
      const sizeBytes = sizeBytesOf(segment);
      written += sizeBytes;
      live.push({ ...candidate(number, { sizeBytes }), segment });
      await merge(DAY_START + 60 * (number + 1));
    }
    await merge(QUIET);
    expect(live).toHaveLength(1);
    expect(written / sizeOf(live)).toBeLessThan(6);
  });

  it('stays so when a tenth as much comes late, in parts that are sealed on their own', () => {
    const day = candidate(0, { level: SEALED_LEVEL, sizeBytes: 1_440_000 });
    let live: MergeCandidate[] = [day];
    let written = 0;
    for (const number of range(0, 144)) {
      const now = QUIET + number * 2 * SEAL_AFTER_SECONDS;
      live.push(candidate(number + 1, { segmentId: number + 2, importedAt: now }));
      const merged = mergeAll(live, now + SEAL_AFTER_SECONDS);
      live = merged.live;
      written += 1000 + merged.written;
    }
    expect(written).toBeLessThan(1_440_000);
    expect(live).toContain(day);
    expect(live.every(({ level }) => isSealed(level))).toBe(true);
    expect(live.length).toBeLessThanOrEqual(6);
  });
});

async function merged(
  inputs: readonly { segment: PlainSegment; firstBucket: number; lastBucket: number }[],
): Promise<PlainSegment> {
  const ranges: KeyRange[] = [];
  const streams = inputs.map(({ segment }) => rangesOf(segment));
  for await (const each of mergeRanges(streams, SHAPE)) ranges.push(each);
  return writeRanges(ranges, {
    first: Math.min(...inputs.map(({ firstBucket }) => firstBucket)),
    last: Math.max(...inputs.map(({ lastBucket }) => lastBucket)),
  });
}

function* rangesOf(segment: PlainSegment): Generator<KeyRange> {
  const { directory, sections } = openSegment(segment);
  for (const range of directory.ranges) {
    yield readRange({ directory, range, sections }, CODEC, SHAPE);
  }
}
