import { ceilTo, floorTo, type Interval } from '../domain/interval.ts';
import type { Resolutions } from './resolutions.ts';

/** Blocks of one resolution that follow each other, from `from` to before `to`. */
export type BlockRun = { readonly level: number; readonly from: number; readonly to: number };

/**
 * What is known of a coarse block: `whole`, it can be used; `empty`, nothing lies in it; `apart`,
 * only finer blocks tell what it would hold.
 */
export type CoarseState = 'whole' | 'empty' | 'apart';

/**
 * The fewest blocks that cover the buckets that start in an interval exactly: coarse inside, fine
 * at the edges and where coarse ones cannot be used. Runs ascend and do not overlap.
 */
export function coverInterval(
  interval: Interval,
  resolutions: Resolutions,
  stateOf: (level: number, start: number) => CoarseState,
): BlockRun[] {
  const levels = [...resolutions.base, ...resolutions.coarse];
  const [bucket = 1] = levels;
  const runs: BlockRun[] = [];

  function add(level: number, from: number, to: number): void {
    const last = runs.at(-1);
    if (last?.level === level && last.to === from) runs[runs.length - 1] = { ...last, to };
    else runs.push({ level, from, to });
  }

  function coverWith(place: number, from: number, to: number): void {
    const level = levels[place] ?? bucket;
    const [first, end] = [ceilTo(from, level), floorTo(to, level)];
    if (first >= end) {
      if (place > 0) coverWith(place - 1, from, to);
      return;
    }
    if (from < first) coverWith(place - 1, from, first);
    if (place < resolutions.base.length) add(level, first, end);
    else for (let start = first; start < end; start += level) addCoarse(place, level, start);
    if (end < to) coverWith(place - 1, end, to);
  }

  function addCoarse(place: number, level: number, start: number): void {
    const state = stateOf(level, start);
    if (state === 'whole') add(level, start, start + level);
    else if (state === 'apart') coverWith(place - 1, start, start + level);
  }

  const [from, to] = [ceilTo(interval.from, bucket), ceilTo(interval.to, bucket)];
  if (from < to) coverWith(levels.length - 1, from, to);
  return runs;
}

/** How many blocks the runs have. */
export const blockCount = (runs: readonly BlockRun[]): number =>
  runs.reduce((count, { level, from, to }) => count + (to - from) / level, 0);
