import {
  type ReferenceAnswer,
  type ReferenceQuestion,
  type Tally,
  topperOf,
} from './reference-topper.ts';
import type { TestService } from './service.ts';

type TallyRow = {
  place: number;
  key: string;
  sum: string;
  count: string;
  max: string;
  min: string;
};

/**
 * What plain SQL finds in `samples`, the record that blocks are derived from: of each question and
 * key what the readings of available slices come to. Nothing of how the service reads is in it.
 */
const SELECT_TALLIES = `
select q.place::int as place, k.key, sum(s.readings[m.slot])::text as sum,
  sum(coalesce(s.counts[m.slot], 1))::text as count,
  max(s.readings[m.slot])::text as max, min(s.readings[m.slot])::text as min
from unnest($2::uuid[], $3::int[], $4::bigint[], $5::bigint[], $6::text[]) with ordinality
  as q(guid, meter, starts, ends, probe, place)
join contexts c on c.name = $1
join counter_groups g on g.context_id = c.context_id and g.guid = q.guid
join meters m on m.group_id = g.group_id and m.meter_id = q.meter
join samples s on s.group_id = g.group_id and s.bucket >= q.starts and s.bucket < q.ends
join slices on slices.slice_id = s.slice_id and not slices.archived
join keys k on k.group_id = s.group_id and k.shard = s.shard and k.key_id = s.key_id
left join probes p on p.probe_id = s.probe_id
where (q.probe is null or p.name = q.probe) and s.readings[m.slot] is not null
group by q.place, k.key`;

/** Toppers without percentiles, from sums that the database made. */
export async function sqlToppers(
  { sql }: Pick<TestService, 'sql'>,
  context: string,
  questions: readonly ReferenceQuestion[],
): Promise<ReferenceAnswer[]> {
  const rows = await sql<TallyRow>(SELECT_TALLIES, [
    context,
    questions.map(({ group }) => group.guid),
    questions.map(({ meter }) => meter),
    questions.map(({ from }) => from),
    questions.map(({ to }) => to),
    questions.map(({ probe = null }) => probe),
  ]);
  return questions.map((question, index) => {
    const tallies = rows
      .filter(({ place }) => place === index + 1)
      .map(({ key, sum, count, max, min }): [string, Tally] => [
        key,
        { sum: BigInt(sum), count: BigInt(count), max: BigInt(max), min: BigInt(min) },
      ]);
    return topperOf(new Map(tallies), question);
  });
}
