import DataLoader from 'dataloader';
import { type GroupStepsRead, selectGroupSteps } from '../../db/queries/select-group-steps.ts';
import type { ReadSession } from '../../db/read-session.ts';
import type { Exact } from '../../domain/exact.ts';
import type { EpochSeconds } from '../../domain/interval.ts';
import { byBound } from './batch.ts';
import type { ReadingsRequest } from './key-readings.ts';

export type GroupStepsRequest = ReadingsRequest & GroupStepsRead;

/** others is null in a step in which no unlisted key has a reading. */
export type GroupStep = { at: EpochSeconds; total: Exact; others: Exact | null };

/** Total and others over time. Every topper asks with its own listed keys, so nothing is shared. */
export const groupStepsLoader = (
  session: ReadSession,
): DataLoader<GroupStepsRequest, GroupStep[]> =>
  new DataLoader((requests) =>
    byBound(requests, async (batch, bound) => {
      const answers: GroupStep[][] = batch.map(() => []);
      for (const row of await selectGroupSteps(session, batch, bound)) {
        answers[row.read]?.push({
          at: row.at,
          total: { sum: BigInt(row.value), count: BigInt(row.count) },
          others:
            row.othersValue === null
              ? null
              : { sum: BigInt(row.othersValue), count: BigInt(row.othersCount ?? 1) },
        });
      }
      return answers;
    }),
  );
