import { ceilTo, floorTo, type Interval } from '../../domain/interval.ts';
import { type Fold, isCounting } from '../../domain/meter-type.ts';
import { type CoarseState, type Cover, coverInterval } from '../../topk/cover.ts';
import { type Resolutions, resolutionsOf } from '../../topk/resolutions.ts';
import type { Catalog, CatalogSliceRow, CoverageRow } from './catalog.ts';

/** What to read: one meter of one group over one interval, of one probe or (null) of all. */
export type MeterRead = {
  readonly groupId: number;
  readonly bucketSeconds: number;
  readonly slot: number;
  readonly fold: Fold;
  readonly probeId: number | null;
  readonly interval: Interval;
};

/** Where it is read from. */
export type ReadPlan = Cover & {
  readonly resolutions: Resolutions;
  /** Slices of which blocks count: what is taken out again may lie beyond the interval. */
  readonly availableIds: ReadonlySet<number>;
  /** Slices that hold readings of the group and lie in the interval, in part at least. */
  readonly sliceIds: ReadonlySet<number>;
  /** All of them are in blocks; if not, samples themselves have to be read. */
  readonly isPacked: boolean;
};

/** Which blocks answer a read: exactly the buckets of its interval, in as few blocks as can be. */
export function planRead(catalog: Catalog, read: MeterRead): ReadPlan {
  const { groupId, probeId, interval } = read;
  const resolutions = resolutionsOf(read.bucketSeconds);
  const ofGroup = catalog.coverageOf(groupId);
  const coverage = probeId === null ? ofGroup : ofGroup.filter((each) => each.probeId === probeId);
  const met = coverage.filter(
    ({ firstBucket, lastBucket }) => firstBucket < interval.to && lastBucket >= interval.from,
  );
  const sliceIds = new Set(met.map(({ sliceId }) => sliceId));
  const availableIds = new Set(coverage.map(({ sliceId }) => sliceId));
  const arePacked = (ids: ReadonlySet<number>): boolean =>
    catalog.slices.every(({ sliceId, packed }) => packed || !ids.has(sliceId));
  const rules = {
    resolutions,
    stateOf: coarseStates(catalog, groupId, coverage),
    canSubtract: isCounting(read.fold) && arePacked(availableIds),
  };
  const cover =
    met.length === 0
      ? { runs: [], less: [] }
      : coverInterval(widen(interval, coverage, resolutions), rules);
  return { ...cover, resolutions, availableIds, sliceIds, isPacked: arePacked(sliceIds) };
}

/**
 * Where nothing lies before an interval, or after it, it may as well begin earlier or end later:
 * then whole days can be used at its ends.
 */
function widen(
  { from, to }: Interval,
  coverage: readonly CoverageRow[],
  { coarse }: Resolutions,
): Interval {
  const first = coverage.reduce((least, row) => Math.min(least, row.firstBucket), Infinity);
  const last = coverage.reduce((most, row) => Math.max(most, row.lastBucket), -Infinity);
  const coarsest = coarse.at(-1) ?? 1;
  return {
    from: from <= first ? floorTo(first, coarsest) : from,
    to: to > last ? ceilTo(last + 1, coarsest) : to,
  };
}

/** A coarse block can be used when each probe's was made of just the slices that there are. */
function coarseStates(
  catalog: Catalog,
  groupId: number,
  coverage: readonly CoverageRow[],
): (level: number, start: number) => CoarseState {
  const slicesOf = slicesByTime(catalog.slices, coverage);
  return (level, start) => {
    const inside = slicesOf(start, start + level);
    if (inside.length === 0) return 'empty';
    const byProbe = new Map<number, number[]>();
    for (const { probeId, sliceId } of inside) {
      const known = byProbe.get(probeId);
      if (known) known.push(sliceId);
      else byProbe.set(probeId, [sliceId]);
    }
    for (const [probeId, sliceIds] of byProbe) {
      const made = catalog.coarseSlices(groupId, level, start, probeId);
      if (!made || !isSame(made, sliceIds)) return 'apart';
    }
    return 'whole';
  };
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && b.every((id) => a.includes(id));
}

/** The coverage rows of the slices that overlap an interval. */
function slicesByTime(
  slices: readonly CatalogSliceRow[],
  coverage: readonly CoverageRow[],
): (from: number, to: number) => CoverageRow[] {
  const bySlice = new Map<number, CoverageRow[]>();
  for (const row of coverage) {
    const known = bySlice.get(row.sliceId);
    if (known) known.push(row);
    else bySlice.set(row.sliceId, [row]);
  }
  const filled = slices.filter(({ sliceId }) => bySlice.has(sliceId));
  return (from, to) =>
    filled
      .filter(({ startsAt, endsAt }) => startsAt < to && endsAt > from)
      .flatMap(({ sliceId }) => bySlice.get(sliceId) ?? []);
}
