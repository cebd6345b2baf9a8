import { SegmentCheck, type SegmentOutline } from '../../segments/check/check-segment.ts';
import type { Sections } from '../../segments/pages/sections.ts';

type CheckedSegment = SegmentOutline & { readonly sections: Sections };

/** Checks a segment and yields what is wrong with it, in words. Errors: DamagedSegment. */
export function* checkWholeSegment({ sections, ...outline }: CheckedSegment): Generator<string> {
  const check = new SegmentCheck(outline);
  for (const range of outline.directory.ranges) yield* check.range(range, sections);
  yield* check.heads(sections);
  yield* check.end();
}
