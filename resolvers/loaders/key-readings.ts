import DataLoader from 'dataloader';
import type { SampleRead } from '../../db/queries/sample-reads.ts';
import { selectKeyReadings } from '../../db/queries/select-key-readings.ts';
import type { ReadSession, TimeBound } from '../../db/read-session.ts';
import type { Exact } from '../../domain/exact.ts';
import { byBound } from './batch.ts';

/** One meter of one group over one interval: what toppers of whatever K and filter are made of. */
export type ReadingsRequest = SampleRead & { bound: TimeBound | null };

export type KeyReading = { readonly shard: number; readonly keyId: number; readonly value: Exact };

/** Two toppers with the same text read the same. */
export const readingsKey = (request: ReadingsRequest): string => {
  const { groupId, slot, fold, probeId, interval, bound } = request;
  return [groupId, slot, fold, probeId, interval.from, interval.to, bound?.seconds].join(' ');
};

/** What each key with a reading comes to; all requests of one moment in one statement. */
export const keyReadingsLoader = (
  session: ReadSession,
): DataLoader<ReadingsRequest, KeyReading[], string> =>
  new DataLoader(
    (requests) =>
      byBound(requests, async (batch, bound) => {
        const answers: KeyReading[][] = batch.map(() => []);
        for (const row of await selectKeyReadings(session, batch, bound)) {
          answers[row.read]?.push({
            shard: row.shard,
            keyId: row.keyId,
            value: { sum: BigInt(row.value), count: BigInt(row.count) },
          });
        }
        return answers;
      }),
    { cacheKeyFn: readingsKey },
  );
