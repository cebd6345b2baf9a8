import DataLoader from 'dataloader';
import type { Deadline } from '../../db/session/read-session.ts';
import { floorTo } from '../../domain/time/interval.ts';
import type { KeySelection } from '../plan/key-questions.ts';
import { type MeterScan, nameOfRead, overlaps } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { byDeadline } from '../snapshot/batch.ts';
import { segmentsOfContexts } from '../snapshot/context-segments.ts';
import type { NodeReader } from '../snapshot/node-reader.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import { readGroupSteps } from './group-steps.ts';
import { type KeySeriesFound, type RequestedKeySeries, readKeySeries } from './key-series.ts';
import { readNetworkSteps } from './network-steps.ts';
import { readPassingSteps } from './passing-steps.ts';
import {
  type SeriesValues,
  type SeriesValuesQuestion,
  selectValues,
  valuesOfSeries,
} from './percentiles.ts';
import type { StepRead } from './step-blocks.ts';
import { readFineSteps } from './step-blocks.ts';
import { StepSeries, valuePart } from './step-series.ts';

/**
 * One key's readings on an epoch-aligned grid of steps, which is coarser than the buckets. key: in
 * raw form; null: all keys of the group together, or (selection) those that are selected.
 */
export type KeySeriesRequest = {
  readonly contextId: number;
  readonly read: MeterScan;
  readonly stepSeconds: number;
  readonly key: string | null;
  /** null: a key, or the whole group. */
  readonly selection: KeySelection | null;
  readonly deadline: Deadline | null;
};

type Request = KeySeriesRequest & Pick<RequestedKeySeries, 'question'>;

type Requested = RequestedKeySeries & Pick<KeySeriesRequest, 'selection'>;

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

function requestName(request: Request): string {
  const { read, stepSeconds, key, selection, deadline, question } = request;
  const values = question && `${question.ranks.join()} of ${question.bucketCount}`;
  const grid = `${nameOfRead(read)} ${stepSeconds} ${deadline?.seconds} ${values}`;
  if (key !== null) return `${grid} key ${key}`;
  if (selection === null) return `${grid} all`;
  return `${grid} within ${JSON.stringify(selection.within)} passing ${selection.passing?.name}`;
}

async function loadAll(
  reader: NodeReader,
  requests: readonly Request[],
  deadline: Deadline | null,
): Promise<KeySeriesFound[]> {
  for (;;) {
    const { states, segments, isOneSnapshot } = await segmentsOfContexts(reader, requests);
    const requested = requests.map(({ read, stepSeconds, key, selection, question }, i) => {
      const group = states[i]?.catalog.readGroup(read.groupId);
      if (!group) throw new Error('a context was not read');
      return { group, read, stepSeconds, key, selection, question };
    });
    const found = await readAll(reader.segments, segments, requested, deadline);
    // The plan may be of a snapshot that a failed statement has ended.
    if (isOneSnapshot()) return found;
  }
}

async function readAll(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requested: readonly Requested[],
  deadline: Deadline | null,
): Promise<KeySeriesFound[]> {
  const ways = requested.map((each) => wayOf(each, live));
  const taken = (way: Way) => requested.filter((_, i) => ways[i] === way);
  const ofSeries = (await readKeySeries(reader, live, taken('series'), deadline)).values();
  const fine = taken('blocks').map(ofOneKey);
  const ofNetworks = taken('networks').map(ofOneKey);
  const passing = taken('passing').flatMap(ofSelection);
  const others: Record<Exclude<Way, 'series'>, Iterator<StepSeries>> = {
    blocks: (await readFineSteps(reader, live, fine, deadline)).values(),
    networks: (await readNetworkSteps(reader, live, ofNetworks, { deadline })).values(),
    passing: (await readPassingSteps(reader, live, passing, { deadline })).values(),
    sums: (await readSums(reader, live, taken('sums'), deadline)).values(),
  };
  const found: KeySeriesFound[] = [];
  for (const [i, each] of requested.entries()) {
    const way = ways[i] as Way;
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

/**
 * The source of a key's steps: its series, or blocks; for a network, blocks of all its keys, as for
 * selected keys; for the whole group, its stored totals or, if some keys may not be seen, the sums
 * of the others.
 */
type Way = 'series' | 'blocks' | 'networks' | 'passing' | 'sums';

function wayOf(each: Requested, live: readonly ScopedSegment[]): Way {
  const { group, read, stepSeconds, key, selection } = each;
  if (selection !== null) return 'passing';
  if (read.prefix !== null) return 'networks';
  const isLimited = ({ limit }: ScopedSegment): boolean => limit !== null;
  const own = key === null ? live.filter((segment) => overlaps(segment, read)) : [];
  if (own.some(isLimited)) return 'sums';
  // Series have one value per topper bucket; finer steps need blocks.
  return stepSeconds % group.shape.topperBucketSeconds === 0 ? 'series' : 'blocks';
}

/** Returns the steps of whole groups of which some keys may not be seen. */
async function readSums(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requested: readonly Requested[],
  deadline: Deadline | null,
): Promise<StepSeries[]> {
  const reads = requested.map((each) => ({ ...each, listed: [], within: null }));
  const found = await readGroupSteps(reader, live, reads, deadline);
  return requested.map(({ read, stepSeconds }, i) => {
    const origin = floorTo(read.interval.from, stepSeconds);
    const parts = (found[i] ?? []).map(({ at, total }) =>
      valuePart((at - origin) / stepSeconds, total),
    );
    return new StepSeries({ origin, stepSeconds }, parts, read.aggregate);
  });
}

const ofSelection = ({ selection, ...each }: Requested) =>
  selection === null ? [] : [{ ...each, selection }];

function ofOneKey({ key, ...each }: RequestedKeySeries): StepRead & { readonly key: string } {
  if (key === null) throw new Error('steps of a group must be of whole topper buckets');
  return { ...each, key };
}
