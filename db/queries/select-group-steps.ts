import type { ReadSession, TimeBound } from '../read-session.ts';
import { READ_STEPS, READINGS, sampleReadValues } from './sample-reads.ts';
import type { KeyStepsRead } from './select-key-steps.ts';

/**
 * All keys of a read together, by step; with those of `keys` left out besides ("others").
 * `within` null means every key of the group, else only these count at all (a drill-down).
 */
export type GroupStepsRead = KeyStepsRead & {
  within: readonly { shard: number; keyId: number }[] | null;
};

/** othersValue and othersCount are null in a step in which only listed keys have readings. */
export type GroupStepRow = {
  read: number;
  at: number;
  value: string;
  count: string;
  othersValue: string | null;
  othersCount: string | null;
};

export function selectGroupSteps(
  session: ReadSession,
  reads: readonly GroupStepsRead[],
  bound: TimeBound | null,
): Promise<GroupStepRow[]> {
  const listed = reads.flatMap((read, index) => read.keys.map((key) => ({ index, ...key })));
  const within = reads.flatMap((read, index) =>
    (read.within ?? []).map((key) => ({ index, ...key })),
  );
  const values = [
    ...sampleReadValues(reads),
    reads.map((read) => read.stepSeconds),
    reads.map((read) => read.within !== null),
    listed.map(({ index }) => index),
    listed.map(({ shard }) => shard),
    listed.map(({ keyId }) => keyId),
    within.map(({ index }) => index),
    within.map(({ shard }) => shard),
    within.map(({ keyId }) => keyId),
  ];
  return session.read({ query: 'select-group-steps', text: SELECT_GROUP_STEPS, values }, bound);
}

const folded = (filter: string): string => `
  case fold when 'max' then max(reading) ${filter}::numeric
    when 'min' then min(reading) ${filter}::numeric else sum(reading) ${filter} end`;

const counted = (filter: string): string => `
  case fold when 'mean' then sum(readings_behind) ${filter} else 1 end`;

const SELECT_GROUP_STEPS = `
select read, at::float8 as at, ${folded('')} as value, ${counted('')} as count,
  ${folded('filter (where not listed)')} as "othersValue",
  ${counted('filter (where not listed)')} as "othersCount"
from (
  select s.read, s.fold, s.bucket - s.bucket % step.seconds as at, s.reading, s.readings_behind,
    l.read is not null as listed
  from ${READINGS}
  join ${READ_STEPS} on step.read = s.read
  join (select (place - 1)::int as read, restricted
    from unnest($11::bool[]) with ordinality as t(restricted, place)) part on part.read = s.read
  left join unnest($12::int[], $13::smallint[], $14::int[]) as l(read, shard, key_id)
    on l.read = s.read and l.shard = s.shard and l.key_id = s.key_id
  left join unnest($15::int[], $16::smallint[], $17::int[]) as i(read, shard, key_id)
    on i.read = s.read and i.shard = s.shard and i.key_id = s.key_id
  where not part.restricted or i.read is not null
) reading
group by read, fold, at
order by read, at`;
