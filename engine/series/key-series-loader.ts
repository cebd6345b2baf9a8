import DataLoader from 'dataloader';
import type { Deadline } from '../../db/session/read-session.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import { type MeterScan, nameOfRead } from '../plan/meter-scan.ts';
import { byDeadline } from '../snapshot/batch.ts';
import { segmentsOfContexts } from '../snapshot/context-segments.ts';
import type { NodeReader } from '../snapshot/node-reader.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import { type KeySeriesFound, type RequestedKeySeries, readKeySeries } from './key-series.ts';
import { readNetworkSteps } from './network-steps.ts';
import {
  type SeriesValues,
  type SeriesValuesQuestion,
  selectValues,
  valuesOfSeries,
} from './percentiles.ts';
import type { StepRead } from './step-blocks.ts';
import { readFineSteps } from './step-blocks.ts';
import type { StepSeries } from './step-series.ts';

/**
 * One key's readings on an epoch-aligned grid of steps, which is coarser than the buckets. key: in
 * raw form; null: all keys of the group together, for steps of whole topper buckets.
 */
export type KeySeriesRequest = {
  readonly contextId: number;
  readonly read: MeterScan;
  readonly stepSeconds: number;
  readonly key: string | null;
  readonly deadline: Deadline | null;
};

type Request = KeySeriesRequest & Pick<RequestedKeySeries, 'question'>;

/** Keys of one batch: one statement reads them, and preparing it takes some 20 ms. */
const KEYS_AT_ONCE = 5_000;

/** Loads the series of keys, or values of them. Data that are not cached are read together. */
export class KeySeriesLoader {
  readonly #loader: DataLoader<Request, KeySeriesFound, string>;

  constructor(reader: NodeReader) {
    this.#loader = new DataLoader(
      (requests) =>
        byDeadline(requests, (batch, deadline) => this.#loadAll(reader, batch, deadline)),
      {
        batchScheduleFn: reader.batchScheduleFn,
        cacheKeyFn: requestName,
        maxBatchSize: KEYS_AT_ONCE,
      },
    );
  }

  async steps(request: KeySeriesRequest): Promise<StepSeries> {
    const { series } = await this.#loader.load({ ...request, question: null });
    if (series === null) throw new Error('a series was asked for');
    return series;
  }

  /** Selects values of a series whose steps are topper buckets. */
  async values(request: KeySeriesRequest, question: SeriesValuesQuestion): Promise<SeriesValues> {
    const { values } = await this.#loader.load({ ...request, question });
    if (values === null) throw new Error('values were asked for');
    return values;
  }

  async #loadAll(
    reader: NodeReader,
    requests: readonly Request[],
    deadline: Deadline | null,
  ): Promise<KeySeriesFound[]> {
    // Smaller batches are read together with what else is read now.
    if (requests.length === KEYS_AT_ONCE) await reader.pause();
    const found = await loadAll(reader, requests, deadline);
    // A series that was read for its values need not be read again for its steps.
    for (const [i, request] of requests.entries()) {
      await reader.afterKeys(1);
      const { series = null } = found[i] ?? {};
      if (request.question && series) {
        this.#loader.prime({ ...request, question: null }, { series, values: null });
      }
    }
    return found;
  }
}

function requestName({ read, stepSeconds, key, deadline, question }: Request): string {
  const values = question && `${question.ranks.join()} of ${question.bucketCount}`;
  const grid = `${nameOfRead(read)} ${stepSeconds} ${deadline?.seconds} ${values}`;
  return `${grid} ${key === null ? 'all' : `key ${key}`}`;
}

async function loadAll(
  reader: NodeReader,
  requests: readonly Request[],
  deadline: Deadline | null,
): Promise<KeySeriesFound[]> {
  for (;;) {
    const { states, segments, isOneSnapshot } = await segmentsOfContexts(reader, requests);
    const requested = requests.map(({ read, stepSeconds, key, question }, i) => {
      const group = states[i]?.catalog.readGroup(read.groupId);
      if (!group) throw new Error('a context was not read');
      return { group, read, stepSeconds, key, question };
    });
    const found = await readAll(reader.segments, segments, requested, deadline);
    // The plan may be of a snapshot that a failed statement has ended.
    if (isOneSnapshot()) return found;
  }
}

async function readAll(
  reader: SegmentReader,
  live: readonly StoredSegment[],
  requested: readonly RequestedKeySeries[],
  deadline: Deadline | null,
): Promise<KeySeriesFound[]> {
  const inSeries = requested.filter((each) => wayOf(each) === 'series');
  const fine = requested.filter((each) => wayOf(each) === 'blocks').map(ofOneKey);
  const ofNetworks = requested.filter((each) => wayOf(each) === 'networks').map(ofOneKey);
  const ofSeries = (await readKeySeries(reader, live, inSeries, deadline)).values();
  const others: Record<'blocks' | 'networks', Iterator<StepSeries>> = {
    blocks: (await readFineSteps(reader, live, fine, deadline)).values(),
    networks: (await readNetworkSteps(reader, live, ofNetworks, { deadline })).values(),
  };
  const found: KeySeriesFound[] = [];
  for (const each of requested) {
    const way = wayOf(each);
    if (way === 'series') {
      found.push(ofSeries.next().value as KeySeriesFound);
      continue;
    }
    const series = others[way].next().value as StepSeries;
    const { question } = each;
    found.push({ series, values: question && selectValues(valuesOfSeries(series), question) });
    await reader.pause();
  }
  return found;
}

/** The source of a key's steps: its series, or blocks; for a network, blocks of all its keys. */
type Way = 'series' | 'blocks' | 'networks';

function wayOf({ group, read, stepSeconds }: StepRead): Way {
  if (read.prefix !== null) return 'networks';
  // Series have one value per topper bucket; finer steps need blocks.
  return stepSeconds % group.shape.topperBucketSeconds === 0 ? 'series' : 'blocks';
}

function ofOneKey({ key, ...each }: RequestedKeySeries): StepRead & { readonly key: string } {
  if (key === null) throw new Error('steps of a group must be of whole topper buckets');
  return { ...each, key };
}
