import DataLoader from 'dataloader';
import { selectGroupSteps } from '../../db/queries/select-group-steps.ts';
import type { TimeBound } from '../../db/read-session.ts';
import type { Exact } from '../../domain/exact.ts';
import type { EpochSeconds } from '../../domain/interval.ts';
import type { KeyPlace } from '../../topk/key-rows.ts';
import { byBound } from './batch.ts';
import type { NodeReader } from './node-reader.ts';
import { type MeterRead, planRead } from './read-plan.ts';

/** Total and others of a read by step; `within` null: every key of the group counts. */
export type GroupStepsRequest = {
  readonly contextId: number;
  readonly read: MeterRead;
  readonly stepSeconds: number;
  readonly keys: readonly KeyPlace[];
  readonly within: readonly KeyPlace[] | null;
  readonly bound: TimeBound | null;
};

/** others is null in a step in which no unlisted key has a reading. */
export type GroupStep = { at: EpochSeconds; total: Exact; others: Exact | null };

/** Every topper asks with its own listed keys, so nothing is shared. */
export const groupStepsLoader = (reader: NodeReader): DataLoader<GroupStepsRequest, GroupStep[]> =>
  new DataLoader((requests) =>
    byBound(requests, async (batch, bound) => {
      const reads = await Promise.all(batch.map((request) => toRead(reader, request)));
      const answers: GroupStep[][] = batch.map(() => []);
      for (const row of await selectGroupSteps(reader.session, reads, bound)) {
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

async function toRead(
  reader: NodeReader,
  { contextId, read, stepSeconds, keys, within }: GroupStepsRequest,
) {
  const { catalog } = await reader.context(contextId);
  const sliceIds = [...planRead(catalog, read).sliceIds].sort((a, b) => a - b);
  return { ...read, sliceIds, stepSeconds, keys, within };
}
