import { hasHeads, headOf, readGroupHeads, type StoredHead } from '../blocks/heads.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { compareKeys } from '../keys/key-list.ts';
import type { Directory, LocatedGroup, LocatedLevel } from '../pages/directory.ts';
import type { Sections } from '../pages/sections.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { bucketRows } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import { WHOLE_SPAN } from '../span.ts';
import { compareColumns } from './same-readings.ts';

/** The heads of a level, and all blocks of it, with which they must agree. */
type HeadsToCheck = {
  readonly directory: Directory;
  readonly sections: Sections;
  readonly level: LocatedLevel;
  readonly blocks: KeyRange;
  readonly codec: KeyCodec;
  readonly folds: SegmentShape['folds'];
};

/** Yields in words what is wrong with the heads of a level. Errors: DamagedSegment. */
export function* checkHeads(check: HeadsToCheck): Generator<string> {
  const { directory, level, blocks } = check;
  const { stepSeconds, groups } = level;
  const heads = `the heads of the ${stepSeconds === WHOLE_SPAN ? 'whole span' : `blocks of ${stepSeconds} s`}`;
  const isExpected = directory.hasHeads && hasHeads(blocks.keys.count, stepSeconds);
  if (groups.some((group) => group.heads.length > 0 !== isExpected)) {
    yield `${heads} ${isExpected ? 'are missing' : 'are there, although the range has few keys'}`;
    return;
  }
  let from = 0;
  for (const group of groups) {
    const to = endOf(blocks, group, from);
    if (!areHeadsOf(check, group, { from, to })) {
      yield `${heads} do not have the largest keys`;
      return;
    }
    from = to;
  }
}

/** Returns the index of the first bucket after a group. */
function endOf({ readings: { starts } }: KeyRange, { lastStart }: LocatedGroup, from: number) {
  let to = from;
  while (to < starts.length && (starts[to] as number) <= lastStart) to += 1;
  return to;
}

/** Buckets of the blocks, from `from` to before `to`. */
type Buckets = { readonly from: number; readonly to: number };

function areHeadsOf(
  { sections, level, blocks, codec, folds }: HeadsToCheck,
  { firstStart, heads }: LocatedGroup,
  { from, to }: Buckets,
): boolean {
  const { stepSeconds } = level;
  return heads.every((section, meterIndex) => {
    const times = { stepSeconds, first: firstStart };
    const stored = section && readGroupHeads(sections(section), codec, times);
    let left = stored?.size ?? 0;
    for (let bucket = from; bucket < to; bucket += 1) {
      const source = { level: blocks, meterIndex, fold: folds[meterIndex] ?? null, codec };
      const right = headOf(source, bucketRows(blocks.readings, bucket));
      // What a roll-up is compared with begins at another time.
      const start =
        stepSeconds === WHOLE_SPAN ? firstStart : (blocks.readings.starts[bucket] as number);
      const found = stored?.get(start) ?? null;
      if (!areSame(found, right)) return false;
      if (found) left -= 1;
    }
    return left === 0;
  });
}

function areSame(a: StoredHead | null, b: StoredHead | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.keyCount !== b.keyCount || a.keys.count !== b.keys.count) return false;
  const total = compareColumns(columnOf(a.total), columnOf(b.total));
  const values = compareColumns(columnOf(a.values), columnOf(b.values));
  if (!total(0, 0)) return false;
  for (let i = 0; i < a.keys.count; i += 1) {
    if (compareKeys(a.keys, i, b.keys, i) !== 0 || !values(i, i)) return false;
  }
  return true;
}

const columnOf = (values: StoredHead['values']) => ({ values, counts: null });
