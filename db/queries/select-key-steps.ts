import type { ReadSession, TimeBound } from '../read-session.ts';
import { FOLDED, READ_STEPS, READINGS, type SampleRead, sampleReadValues } from './sample-reads.ts';

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
  return session.read({ query: 'select-key-steps', text: SELECT_KEY_STEPS, values }, bound);
}

const SELECT_KEY_STEPS = `
select s.read, s.shard, s.key_id as "keyId",
  (s.bucket - s.bucket % step.seconds)::float8 as at, ${FOLDED}
from ${READINGS}
join ${READ_STEPS} on step.read = s.read
join unnest($11::int[], $12::smallint[], $13::int[]) as w(read, shard, key_id)
  on w.read = s.read and w.shard = s.shard and w.key_id = s.key_id
group by s.read, s.fold, s.shard, s.key_id, at
order by at`;
