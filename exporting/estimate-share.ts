import type { CoveredSpan } from '../db/write/select-covered-spans.ts';
import type { EpochSeconds, Interval } from '../domain/interval.ts';
import type { ExportedGroup, ExportedSlice } from './reading-source.ts';

/** How much of all there is to read is read when a bucket of a group in a slice is, from 0 to 1. */
export type ShareEstimate = (
  slice: ExportedSlice,
  group: ExportedGroup,
  bucket: EpochSeconds,
) => number;

/**
 * Groups are read slice by slice, in order of time. Each that has readings in a slice counts the
 * same, and within it each second from its first to its last bucket.
 */
export function estimateShare(
  { slices, groups, within }: Plan,
  spans: readonly CoveredSpan[],
): ShareEstimate {
  const known = new Map(spans.map((span) => [`${span.sliceId} ${span.groupId}`, span]));
  const parts = new Map<string, { readonly before: number; readonly span: Interval }>();
  for (const { sliceId } of slices) {
    for (const { groupId } of groups) {
      const name = `${sliceId} ${groupId}`;
      const { first, last } = known.get(name) ?? { first: 0, last: -1 };
      const span = { from: Math.max(first, within.from), to: Math.min(last, within.to) };
      if (span.to >= span.from) parts.set(name, { before: parts.size, span });
    }
  }
  return ({ sliceId }, { groupId }, bucket) => {
    const part = parts.get(`${sliceId} ${groupId}`);
    if (!part) return 0;
    const { from, to } = part.span;
    const share = to > from ? (bucket - from) / (to - from) : 1;
    return (part.before + Math.min(Math.max(share, 0), 1)) / parts.size;
  };
}

/** What is read. */
type Plan = {
  readonly slices: readonly ExportedSlice[];
  readonly groups: readonly ExportedGroup[];
  readonly within: Interval;
};
