import { writeGroupHeads } from '../blocks/heads.ts';
import { WHOLE_SPAN } from '../blocks/levels.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import type { PlacedLevel } from '../pages/directory.ts';
import type { Sections } from '../pages/sections.ts';
import type { KeyRange } from '../readings/key-range.ts';
import type { SegmentShape } from '../shape.ts';

/** What the heads of a level must agree with: all of its blocks. */
export type BlocksOfLevel = {
  readonly blocks: KeyRange;
  readonly codec: KeyCodec;
  readonly folds: SegmentShape['folds'];
};

/** Yields in words if heads are not those of their blocks. Errors: DamagedSegment. */
export function* checkHeads(
  level: PlacedLevel,
  sections: Sections,
  of: BlocksOfLevel,
): Generator<string> {
  if (areHeadsOf(level, sections, of)) return;
  const { stepSeconds } = level;
  const blocks = stepSeconds === WHOLE_SPAN ? 'whole span' : `blocks of ${stepSeconds} s`;
  yield `the heads of the ${blocks} do not have the largest keys`;
}

function areHeadsOf(
  { stepSeconds, groups }: PlacedLevel,
  sections: Sections,
  { blocks, codec, folds }: BlocksOfLevel,
): boolean {
  const { starts } = blocks.readings;
  let to = 0;
  return groups.every(({ firstStart: first, lastStart, heads }) => {
    const from = to;
    while (to < starts.length && (starts[to] as number) <= lastStart) to += 1;
    return heads.every((section, place) => {
      const source = { level: blocks, place, fold: folds[place] ?? null, codec };
      const right = writeGroupHeads(source, { from, to }, { stepSeconds, first });
      const stored = section && sections(section);
      if (right === null || stored === null) return right === stored;
      return Buffer.compare(right, stored) === 0;
    });
  });
}
