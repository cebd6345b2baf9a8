import type { ReadSession } from '../read-session.ts';

/** Epoch seconds of the starts of the first and the last bucket with a reading. */
export type CoverageRow = {
  groupId: number;
  sliceId: number;
  probeId: number;
  firstBucket: number;
  lastBucket: number;
};

/** Which available slices hold readings of the groups, and from when to when, by probe. */
export const selectCoverage = (
  session: ReadSession,
  groupIds: readonly number[],
): Promise<CoverageRow[]> =>
  session.read({
    // float8 holds epoch seconds exactly and arrives as a number; int8 would arrive as text.
    text: `
select v.group_id as "groupId", v.slice_id as "sliceId", v.probe_id as "probeId",
  v.first_bucket::float8 as "firstBucket", v.last_bucket::float8 as "lastBucket"
from coverage v join slices s using (slice_id)
where v.group_id = any($1::int[]) and not s.archived`,
    values: [groupIds],
  });
