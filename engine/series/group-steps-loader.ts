import DataLoader from 'dataloader';
import type { Deadline } from '../../db/session/read-session.ts';
import type { KeysWithin } from '../plan/key-questions.ts';
import type { MeterRead } from '../plan/meter-read.ts';
import { byDeadline } from '../snapshot/batch.ts';
import { segmentsOfContexts } from '../snapshot/context-segments.ts';
import type { NodeReader } from '../snapshot/node-reader.ts';
import { type GroupStep, readGroupSteps } from './group-steps.ts';

/** Asks for total and others of a read by step; `within` null: every key of the group counts. */
type GroupStepsRequest = {
  readonly contextId: number;
  readonly read: MeterRead;
  readonly stepSeconds: number;
  /** Keys or networks in raw form. */
  readonly listed: readonly string[];
  readonly within: KeysWithin | null;
  readonly deadline: Deadline | null;
};

/** Each topper has its own listed keys, so requests share no results. */
export const groupStepsLoader = (reader: NodeReader): DataLoader<GroupStepsRequest, GroupStep[]> =>
  new DataLoader(
    (requests) =>
      byDeadline(requests, async (batch, deadline) => {
        for (;;) {
          const { states, segments, isOneSnapshot } = await segmentsOfContexts(reader, batch);
          const reads = batch.map(({ read, stepSeconds, listed, within }, i) => {
            const group = states[i]?.catalog.readGroup(read.groupId);
            if (!group) throw new Error('a context was not read');
            return { group, read, stepSeconds, listed, within };
          });
          const answers = await readGroupSteps(reader.segments, segments, reads, deadline);
          if (isOneSnapshot()) return answers;
        }
      }),
    { batchScheduleFn: reader.batchScheduleFn },
  );
