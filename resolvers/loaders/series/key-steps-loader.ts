import DataLoader from 'dataloader';
import type { TimeBound } from '../../../db/read-session.ts';
import type { MeterRead } from '../plan/meter-read.ts';
import { byBound } from '../session/batch.ts';
import { segmentsOfContexts } from '../session/context-segments.ts';
import type { NodeReader } from '../session/node-reader.ts';
import { readFineSteps } from './fine-steps.ts';
import { readKeySteps } from './key-steps.ts';
import type { StepSeries } from './step-series.ts';

/**
 * One key's readings on a grid of steps, which is epoch-aligned and coarser than the buckets. key: in
 * raw form; null: all keys of the group together, for steps of whole topper buckets.
 */
export type KeyStepsRequest = {
  readonly contextId: number;
  readonly read: MeterRead;
  readonly stepSeconds: number;
  readonly key: string | null;
  readonly bound: TimeBound | null;
};

/** The steps of any number of keys: what is not remembered is read together. */
export const keyStepsLoader = (
  reader: NodeReader,
): DataLoader<KeyStepsRequest, StepSeries, string> =>
  new DataLoader(
    (requests) => byBound(requests, (batch, bound) => readSteps(reader, batch, bound)),
    { cacheKeyFn: requestName },
  );

function requestName({ read, stepSeconds, key, bound }: KeyStepsRequest): string {
  const { groupId, slot, probeId, interval } = read;
  const grid = [groupId, slot, probeId, interval.from, interval.to, stepSeconds, bound?.seconds];
  return `${grid.join(' ')} ${key === null ? 'all' : `key ${key}`}`;
}

async function readSteps(
  reader: NodeReader,
  requests: readonly KeyStepsRequest[],
  bound: TimeBound | null,
): Promise<StepSeries[]> {
  for (;;) {
    const { states, segments, isOneSnapshot } = await segmentsOfContexts(reader, requests);
    const asked = requests.map((request, i) => {
      const { read, stepSeconds, key } = request;
      const group = states[i]?.catalog.readGroup(read.groupId);
      if (!group) throw new Error('a context was not read');
      return { group, read, stepSeconds, key };
    });
    const [coarse, fine] = [
      asked.filter(isInSeries),
      asked.flatMap(({ key, ...each }) =>
        isInSeries(each) || key === null ? [] : [{ ...each, key }],
      ),
    ];
    const ofSeries = await readKeySteps(reader.segments, segments, coarse, bound);
    const ofBlocks = await readFineSteps(reader.segments, segments, fine, bound);
    // What was planned may be of a snapshot that a failed statement has taken along.
    if (!isOneSnapshot()) continue;
    const [nextOfSeries, nextOfBlocks] = [ofSeries.values(), ofBlocks.values()];
    return asked.map((each) => {
      const next = (isInSeries(each) ? nextOfSeries : nextOfBlocks).next();
      if (next.done) throw new Error('steps of a group must be of whole topper buckets');
      return next.value;
    });
  }
}

/** Series have a value for each topper bucket: what is finer only the blocks tell. */
const isInSeries = ({
  group,
  stepSeconds,
}: {
  readonly group: { readonly shape: { readonly topperBucketSeconds: number } };
  readonly stepSeconds: number;
}): boolean => stepSeconds % group.shape.topperBucketSeconds === 0;
