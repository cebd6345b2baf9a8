import type { ReadSession, TimeBound } from '../read-session.ts';
import { FOLDED, READINGS, type SampleRead, sampleReadValues } from './sample-reads.ts';

/** read: the place of its SampleRead in the list. value and count: decimal integers as text. */
export type KeyReadingRow = {
  read: number;
  shard: number;
  keyId: number;
  value: string;
  count: string;
};

/** What every key of each read comes to over the read's whole interval: one row a key. */
export const selectKeyReadings = (
  session: ReadSession,
  reads: readonly SampleRead[],
  bound: TimeBound | null,
): Promise<KeyReadingRow[]> =>
  session.read(
    { query: 'select-key-readings', text: SELECT_KEY_READINGS, values: sampleReadValues(reads) },
    bound,
  );

const SELECT_KEY_READINGS = `
select s.read, s.shard, s.key_id as "keyId", ${FOLDED}
from ${READINGS}
group by s.read, s.fold, s.shard, s.key_id`;
