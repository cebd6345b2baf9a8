import {
  type ReferenceAnswer,
  type ReferenceQuestion,
  type Tally,
  topperOf,
} from './reference-topper.ts';
import type { TestService } from './service.ts';

type TallyRow = {
  place: number;
  at: number;
  key: string;
  sum: string;
  count: string;
  max: string;
  min: string;
};

/**
 * What plain SQL finds in `samples`, the record that blocks are derived from: of each question, step
 * and key what the readings of available slices come to. Nothing of how the service reads is in it.
 */
const SELECT_TALLIES = `
select q.place::int as place, (s.bucket - s.bucket % q.step)::float8 as at, k.key, sum(s.readings[m.slot])::text as sum,
  sum(coalesce(s.counts[m.slot], 1))::text as count,
  max(s.readings[m.slot])::text as max, min(s.readings[m.slot])::text as min
from unnest($2::uuid[], $3::int[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[])
  with ordinality as q(guid, meter, starts, ends, probe, step, place)
join contexts c on c.name = $1
join counter_groups g on g.context_id = c.context_id and g.guid = q.guid
join meters m on m.group_id = g.group_id and m.meter_id = q.meter
join samples s on s.group_id = g.group_id and s.bucket >= q.starts and s.bucket < q.ends
join slices on slices.slice_id = s.slice_id and not slices.archived
join keys k on k.group_id = s.group_id and k.shard = s.shard and k.key_id = s.key_id
left join probes p on p.probe_id = s.probe_id
where (q.probe is null or p.name = q.probe) and s.readings[m.slot] is not null
group by q.place, at, k.key`;

/** Further than any time: all that is read lies in one step. */
const ONE_STEP = 2 ** 52;

/** By question and start of the step, the readings of each key. */
async function selectTallies(
  { sql }: Pick<TestService, 'sql'>,
  context: string,
  questions: readonly ReferenceQuestion[],
  step: number,
): Promise<Map<number, Map<string, Tally>>[]> {
  const rows = await sql<TallyRow>(SELECT_TALLIES, [
    context,
    questions.map(({ group }) => group.guid),
    questions.map(({ meter }) => meter),
    questions.map(({ from }) => from),
    questions.map(({ to }) => to),
    questions.map(({ probe = null }) => probe),
    questions.map(() => step),
  ]);
  const found = questions.map(() => new Map<number, Map<string, Tally>>());
  for (const { place, at, key, sum, count, max, min } of rows) {
    const steps = found[place - 1];
    const keys = steps?.get(at) ?? new Map<string, Tally>();
    steps?.set(at, keys);
    keys.set(key, {
      ...{ sum: BigInt(sum), count: BigInt(count), max: BigInt(max), min: BigInt(min) },
    });
  }
  return found;
}

/** Toppers without percentiles, from sums that the database made. */
export async function sqlToppers(
  lab: Pick<TestService, 'sql'>,
  context: string,
  questions: readonly ReferenceQuestion[],
): Promise<ReferenceAnswer[]> {
  const tallies = await selectTallies(lab, context, questions, ONE_STEP);
  return questions.map((question, i) => topperOf(tallies[i]?.get(0) ?? new Map(), question));
}

/** By the start of each step with readings, what the keys come to in it, as sqlToppers tells it. */
export async function sqlSteps(
  lab: Pick<TestService, 'sql'>,
  context: string,
  question: ReferenceQuestion,
  step: number,
): Promise<Map<number, (more: Partial<ReferenceQuestion>) => ReferenceAnswer>> {
  const [steps] = await selectTallies(lab, context, [question], step);
  // What is shown of a rate is its volume by the step.
  const group = { ...question.group, topper_bucket_size: step };
  return new Map(
    [...(steps ?? [])].map(([at, tallies]) => [
      at,
      (more) => topperOf(tallies, { ...question, group, ...more }),
    ]),
  );
}
