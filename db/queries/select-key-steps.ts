import type { ReadSession, TimeBound } from '../read-session.ts';
import {
  foldColumns,
  READINGS_OF_READ,
  SAMPLE_READS,
  type SampleRead,
  sampleReadValues,
} from './sample-reads.ts';

/** Of these keys of a read, the value of each step of `stepSeconds` on the epoch's grid. */
export type KeyStepsRead = SampleRead & {
  stepSeconds: number;
  keys: readonly { shard: number; keyId: number }[];
};

/** at: start of the step in epoch seconds. A step without readings has no row. */
export type KeyStepRow = {
  read: number;
  shard: number;
  keyId: number;
  at: number;
  value: string;
  count: string;
};

export function selectKeySteps(
  session: ReadSession,
  reads: readonly KeyStepsRead[],
  bound: TimeBound | null,
): Promise<KeyStepRow[]> {
  const wanted = reads.flatMap((read, index) => read.keys.map((key) => ({ index, ...key })));
  const values = [
    ...sampleReadValues(reads),
    reads.map((read) => read.stepSeconds),
    wanted.map(({ index }) => index),
    wanted.map(({ shard }) => shard),
    wanted.map(({ keyId }) => keyId),
  ];
  return session.read({ text: SELECT_KEY_STEPS, values }, bound);
}

const SELECT_KEY_STEPS = `
select r.read, s.shard, s.key_id as "keyId",
  (s.bucket - s.bucket % step.seconds)::float8 as at, ${foldColumns('s')}
from ${SAMPLE_READS}
join (select (place - 1)::int as read, seconds
  from unnest($10::int[]) with ordinality as t(seconds, place)) step on step.read = r.read
cross join lateral (${READINGS_OF_READ}) s
join unnest($11::int[], $12::smallint[], $13::int[]) as w(read, shard, key_id)
  on w.read = r.read and w.shard = s.shard and w.key_id = s.key_id
group by r.read, r.fold, s.shard, s.key_id, at
order by at`;
