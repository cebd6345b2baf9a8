import DataLoader from 'dataloader';
import { type KeyStepsRead, selectKeySteps } from '../../db/queries/select-key-steps.ts';
import type { ReadSession } from '../../db/read-session.ts';
import type { Exact } from '../../domain/exact.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { EpochSeconds } from '../../domain/interval.ts';
import { byBound } from './batch.ts';
import { type ReadingsRequest, readingsKey } from './key-readings.ts';

/** One key's readings on a grid of steps. */
export type KeyStepsRequest = ReadingsRequest & {
  stepSeconds: number;
  key: { shard: number; keyId: number };
};

/** Start of the step and what the readings in it come to. Steps without readings are left out. */
export type StepReading = { readonly at: EpochSeconds; readonly value: Exact };

const gridKey = (request: KeyStepsRequest): string =>
  `${readingsKey(request)} ${request.stepSeconds}`;

/** Steps of any number of keys in one statement: keys of one read and grid are read together. */
export const keyStepsLoader = (
  session: ReadSession,
): DataLoader<KeyStepsRequest, StepReading[], string> =>
  new DataLoader(
    (requests) =>
      byBound(requests, async (batch, bound) => {
        const grids = [...groupBy(batch, gridKey).values()];
        const reads = grids.flatMap(toRead);
        const steps = new Map<string, StepReading[]>();
        for (const row of await selectKeySteps(session, reads, bound)) {
          const id = `${row.read} ${row.shard} ${row.keyId}`;
          const value = { sum: BigInt(row.value), count: BigInt(row.count) };
          const known = steps.get(id);
          if (known) known.push({ at: row.at, value });
          else steps.set(id, [{ at: row.at, value }]);
        }
        const readOf = new Map(grids.flatMap((grid, read) => grid.map((each) => [each, read])));
        return batch.map(
          (each) => steps.get(`${readOf.get(each)} ${each.key.shard} ${each.key.keyId}`) ?? [],
        );
      }),
    {
      cacheKeyFn: (request) => `${gridKey(request)} ${request.key.shard} ${request.key.keyId}`,
    },
  );

function toRead(grid: readonly KeyStepsRequest[]): KeyStepsRead[] {
  const [first] = grid;
  return first ? [{ ...first, keys: grid.map(({ key }) => key) }] : [];
}
