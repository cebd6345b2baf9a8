import { expect, it } from 'vitest';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import type { Manifest, RollUp, StoredSegment } from '../../store/read/manifest.ts';
import { ALL_PROBES, planRollUp } from '../../store/roll-up/plan-roll-up.ts';

const DAY = 86_400;

/** A sealed segment of 1 January 1970. */
const segment = (segmentId: number, probeId: number): StoredSegment => ({
  segmentId,
  groupId: 1,
  probeId,
  sliceId: 1,
  level: SEALED_LEVEL,
  firstBucket: 0,
  lastBucket: DAY - 60,
  keyCount: 100,
  rowCount: 100,
  pageCount: 1,
  sizeBytes: 1000,
  addedAt: 1,
  importedAt: DAY,
  directoryBytes: 100,
  directory: () => {
    throw new Error('no plan looks into segments');
  },
});

const manifestOf = (segments: readonly StoredSegment[], rollUps: readonly RollUp[]): Manifest => ({
  contextId: 1,
  version: 1,
  layout: 1,
  segments: new Map(segments.map((each) => [each.segmentId, each])),
  rollUps: new Map(rollUps.map((each) => [each.segmentId, each])),
});

const TIMES = {
  slices: new Map([[1, { startsAt: 0, endsAt: DAY }]]),
  now: 10 * DAY,
  sealAfterSeconds: 900,
};

it('a roll-up of too many probes takes the same ones, in whatever order they come', () => {
  const probes = Array.from({ length: 80 }, (_, i) => segment(i + 1, i + 1));
  const plan = planRollUp(manifestOf(probes, []), TIMES);
  const sources = plan?.sources.map(({ segmentId }) => segmentId) ?? [];
  expect(sources).toHaveLength(60);
  const made = { ...segment(100, ALL_PROBES), sliceId: 0, sources };
  expect(planRollUp(manifestOf(probes, [made]), TIMES)).toBeNull();
  expect(planRollUp(manifestOf(probes.toReversed(), [made]), TIMES)).toBeNull();
});

it('a slice too long for roll-ups over several slices has one of its probes', () => {
  const slices = new Map([[1, { startsAt: 0, endsAt: 30 * DAY }]]);
  const times = { ...TIMES, slices, now: 40 * DAY };
  const plan = planRollUp(manifestOf([segment(1, 1), segment(2, 2)], []), times);
  expect(plan?.probeId).toBe(ALL_PROBES);
  expect(plan?.sources.map(({ segmentId }) => segmentId)).toEqual([1, 2]);
});
