import DataLoader from 'dataloader';
import type { TimeBound } from '../../../db/session/read-session.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import { type MeterRead, nameOfRead } from '../plan/meter-read.ts';
import { byBound } from '../session/batch.ts';
import { segmentsOfContexts } from '../session/context-segments.ts';
import type { NodeReader } from '../session/node-reader.ts';
import type { SegmentReader } from '../session/segment-reader.ts';
import { readFineSteps } from './fine-steps.ts';
import { readKeySteps } from './key-steps.ts';
import { readNetworkSteps } from './network-steps.ts';
import type { StepRead } from './step-blocks.ts';
import type { StepSeries } from './step-series.ts';

/**
 * One key's readings on an epoch-aligned grid of steps, which is coarser than the buckets. key: in
 * raw form; null: all keys of the group together, for steps of whole topper buckets.
 */
export type KeyStepsRequest = {
  readonly contextId: number;
  readonly read: MeterRead;
  readonly stepSeconds: number;
  readonly key: string | null;
  readonly bound: TimeBound | null;
};

/** Returns the steps of any number of keys; data that are not cached are read together. */
export const keyStepsLoader = (
  reader: NodeReader,
): DataLoader<KeyStepsRequest, StepSeries, string> =>
  new DataLoader(
    (requests) => byBound(requests, (batch, bound) => readSteps(reader, batch, bound)),
    { cacheKeyFn: requestName },
  );

function requestName({ read, stepSeconds, key, bound }: KeyStepsRequest): string {
  const grid = `${nameOfRead(read)} ${stepSeconds} ${bound?.seconds}`;
  return `${grid} ${key === null ? 'all' : `key ${key}`}`;
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
    const found = await readAll(reader.segments, segments, asked, bound);
    // The plan may be of a snapshot that a failed statement has ended.
    if (isOneSnapshot()) return found;
  }
}

type Asked = StepRead & { readonly key: string | null };

async function readAll(
  reader: SegmentReader,
  live: readonly StoredSegment[],
  asked: readonly Asked[],
  bound: TimeBound | null,
): Promise<StepSeries[]> {
  const inSeries = asked.filter((each) => wayOf(each) === 'series');
  const fine = asked.filter((each) => wayOf(each) === 'blocks').map(ofOneKey);
  const ofNetworks = asked.filter((each) => wayOf(each) === 'networks').map(ofOneKey);
  const found: Record<Way, Iterator<StepSeries>> = {
    series: (await readKeySteps(reader, live, inSeries, bound)).values(),
    blocks: (await readFineSteps(reader, live, fine, bound)).values(),
    networks: (await readNetworkSteps(reader, live, ofNetworks, { bound })).values(),
  };
  return asked.map((each) => found[wayOf(each)].next().value as StepSeries);
}

/** The source of a key's steps: its series, or blocks; for a network, blocks of all its keys. */
type Way = 'series' | 'blocks' | 'networks';

function wayOf({ group, read, stepSeconds }: Asked): Way {
  if (read.prefix !== null) return 'networks';
  // Series have one value per topper bucket; finer steps need blocks.
  return stepSeconds % group.shape.topperBucketSeconds === 0 ? 'series' : 'blocks';
}

function ofOneKey({ key, ...each }: Asked): StepRead & { readonly key: string } {
  if (key === null) throw new Error('steps of a group must be of whole topper buckets');
  return { ...each, key };
}
