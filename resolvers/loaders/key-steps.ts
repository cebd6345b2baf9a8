import DataLoader from 'dataloader';
import { selectKeySteps } from '../../db/queries/select-key-steps.ts';
import type { TimeBound } from '../../db/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import {
  ceilTo,
  type EpochSeconds,
  floorTo,
  type Interval,
  isEmpty,
} from '../../domain/interval.ts';
import type { Answer } from '../../topk/answer-questions.ts';
import type { KeyPlace } from '../../topk/key-rows.ts';
import { WHOLE_GROUP } from '../../topk/key-series.ts';
import { byBound } from './batch.ts';
import { collectSeries, type FoundSeries, keyText, type WantedSeries } from './collect-series.ts';
import type { ContextState, NodeReader } from './node-reader.ts';
import { type MeterRead, planRead, type ReadPlan } from './read-plan.ts';
import {
  onSteps,
  type SeriesPart,
  type StepSeries,
  stepRows,
  stepSeriesOf,
  valuePart,
} from './step-series.ts';
import type { TopperQuestion } from './topper-answers.ts';
import { pause } from './turns.ts';

/** One key's readings on a grid of steps, which is epoch-aligned and coarser than the buckets. */
export type KeyStepsRequest = {
  readonly contextId: number;
  readonly read: MeterRead;
  readonly topperBucketSeconds: number;
  readonly stepSeconds: number;
  readonly key: KeyPlace;
  readonly bound: TimeBound | null;
};

/** Keys of which the same steps are wanted. */
type Grid = {
  readonly state: ContextState;
  readonly plan: ReadPlan;
  readonly first: KeyStepsRequest;
  readonly keys: readonly KeyPlace[];
};

const gridKey = ({ read, stepSeconds }: KeyStepsRequest): string => {
  const { groupId, slot, probeId, interval } = read;
  return [groupId, slot, probeId, interval.from, interval.to, stepSeconds].join(' ');
};

export type AskToppers = { load(question: TopperQuestion): Promise<Answer> };

/** Steps of any number of keys, those that are in series in one statement. */
export const keyStepsLoader = (
  reader: NodeReader,
  toppers: AskToppers,
): DataLoader<KeyStepsRequest, StepSeries, string> =>
  new DataLoader(
    (requests) => byBound(requests, (batch, bound) => readSteps(reader, toppers, batch, bound)),
    { cacheKeyFn: (request) => `${gridKey(request)} ${keyText(request.key)}` },
  );

async function readSteps(
  reader: NodeReader,
  toppers: AskToppers,
  requests: readonly KeyStepsRequest[],
  bound: TimeBound | null,
): Promise<StepSeries[]> {
  for (;;) {
    const grids = await planGrids(reader, requests);
    const [inSeries, inSamples] = [
      grids.filter(isInSeries),
      grids.filter((each) => !isInSeries(each)),
    ];
    const [ofSeries, ofSamples] = await Promise.all([
      readSeries(reader, toppers, inSeries, bound),
      readSamples(reader, inSamples, bound),
    ]);
    const isOneSnapshot = grids.every(({ state }) => state.snapshot === reader.session.snapshot);
    // What was planned is of a snapshot that a failed statement has taken along.
    if (!isOneSnapshot) continue;
    const series = new Map([...ofSeries, ...ofSamples]);
    return requests.map((request) => {
      const found = series.get(`${gridKey(request)} ${keyText(request.key)}`);
      if (!found) throw new Error('a series was asked for and not read');
      return found;
    });
  }
}

async function planGrids(
  reader: NodeReader,
  requests: readonly KeyStepsRequest[],
): Promise<Grid[]> {
  const grids = [...groupBy(requests, gridKey).values()];
  return Promise.all(
    grids.map(async (ofGrid) => {
      const [first] = ofGrid;
      if (!first) throw new Error('a grid without requests');
      const state = await reader.context(first.contextId);
      const plan = planRead(state.catalog, first.read);
      return { state, plan, first, keys: ofGrid.map(({ key }) => key) };
    }),
  );
}

/** Series have a value for each topper bucket: what is finer only the samples tell. */
const isInSeries = ({ plan, first }: Grid): boolean =>
  plan.isPacked && first.stepSeconds % first.topperBucketSeconds === 0;

async function readSamples(
  { session }: NodeReader,
  grids: readonly Grid[],
  bound: TimeBound | null,
): Promise<[string, StepSeries][]> {
  if (grids.length === 0) return [];
  const reads = grids.map(({ first, keys, plan }) => ({
    ...{ ...first.read, keys, stepSeconds: first.stepSeconds },
    sliceIds: [...plan.sliceIds].sort((a, b) => a - b),
  }));
  const rows = groupBy(
    await selectKeySteps(session, reads, bound),
    (row) => `${row.read} ${keyText(row)}`,
  );
  return grids.flatMap(({ first, keys }, read) =>
    keys.map((key): [string, StepSeries] => [
      `${gridKey(first)} ${keyText(key)}`,
      stepRows(originOf(first), first.stepSeconds, rows.get(`${read} ${keyText(key)}`) ?? []),
    ]),
  );
}

const originOf = ({ read, stepSeconds }: KeyStepsRequest): EpochSeconds =>
  floorTo(read.interval.from, stepSeconds);

async function readSeries(
  reader: NodeReader,
  toppers: AskToppers,
  grids: readonly Grid[],
  bound: TimeBound | null,
): Promise<[string, StepSeries][]> {
  if (grids.length === 0) return [];
  const splits = grids.map(splitInterval);
  const edges = grids.map((grid, i) =>
    (splits[i]?.edges ?? []).map((edge) => askEdge(toppers, grid, edge)),
  );
  const wanted = grids.map((grid, i) =>
    isEmpty(splits[i]?.inner ?? NOTHING) ? null : toWanted(grid),
  );
  const found = await collectSeries(
    reader,
    wanted.filter((each) => each !== null),
    bound,
  );
  const series: [string, StepSeries][] = [];
  for (const [i, grid] of grids.entries()) {
    const partsOf = seriesParts(grid, splits[i]?.inner ?? NOTHING, wanted[i] ?? null, found);
    const ofEdges = (await Promise.all(edges[i] ?? [])).map((edge) => new Map(edge));
    const { first } = grid;
    for (const key of grid.keys) {
      const ofKey = partsOf(key).concat(ofEdges.flatMap((edge) => edge.get(keyText(key)) ?? []));
      const steps = stepSeriesOf(originOf(first), first.stepSeconds, ofKey, first.read.fold);
      series.push([`${gridKey(first)} ${keyText(key)}`, steps]);
      await pause();
    }
  }
  return series;
}

const NOTHING: Interval = { from: 0, to: 0 };

/**
 * The whole topper buckets of the interval, and what is left at its ends. Where nothing lies
 * beyond an end, the topper bucket there is as good as whole.
 */
function splitInterval({ state, first }: Grid): { inner: Interval; edges: Interval[] } {
  const { read, topperBucketSeconds: size } = first;
  // A bucket is in it when its start is: what ends amid the last one of a topper bucket has it all.
  const asked = {
    from: ceilTo(read.interval.from, read.bucketSeconds),
    to: ceilTo(read.interval.to, read.bucketSeconds),
  };
  const coverage = state.catalog
    .coverageOf(read.groupId)
    .filter(({ probeId }) => read.probeId === null || probeId === read.probeId);
  const firstBucket = coverage.reduce((least, row) => Math.min(least, row.firstBucket), Infinity);
  const lastBucket = coverage.reduce((most, row) => Math.max(most, row.lastBucket), -Infinity);
  const from = asked.from <= firstBucket ? floorTo(firstBucket, size) : asked.from;
  const to = asked.to > lastBucket ? ceilTo(lastBucket + 1, size) : asked.to;
  const inner = { from: ceilTo(from, size), to: floorTo(to, size) };
  if (isEmpty(inner)) {
    // Both ends in one topper bucket, or in two that touch.
    const middle = Math.min(Math.max(inner.from, from), to);
    const edges = [
      { from, to: middle },
      { from: middle, to },
    ];
    return { inner: NOTHING, edges: edges.filter((edge) => !isEmpty(edge)) };
  }
  const edges = [
    { from, to: inner.from },
    { from: inner.to, to },
  ];
  return { inner, edges: edges.filter((edge) => !isEmpty(edge)) };
}

/** What the keys come to in a part of one topper bucket. */
async function askEdge(
  toppers: AskToppers,
  { first, keys }: Grid,
  interval: Interval,
): Promise<[string, SeriesPart][]> {
  const { contextId, bound } = first;
  const ask = { contextId, bound, read: { ...first.read, interval } };
  const at = Math.floor((interval.from - originOf(first)) / first.stepSeconds);
  const [values, whole] = await Promise.all([
    toppers.load({ ...ask, question: { kind: 'values', keys } }),
    keys.some(({ keyId }) => keyId === WHOLE_GROUP)
      ? toppers.load({
          ...ask,
          question: { kind: 'top', maxItems: 1, within: null, passing: null },
        })
      : null,
  ]);
  const total = whole?.kind === 'top' ? whole.total : null;
  return keys.flatMap((key, i): [string, SeriesPart][] => {
    const value =
      key.keyId === WHOLE_GROUP ? total : values.kind === 'values' ? values.values[i] : null;
    return value ? [[keyText(key), valuePart(at, value)]] : [];
  });
}

function toWanted({ state, plan, first, keys }: Grid): WantedSeries {
  const { groupId, slot, probeId } = first.read;
  const places = state.catalog
    .coverageOf(groupId)
    .filter((row) => plan.sliceIds.has(row.sliceId))
    .filter((row) => probeId === null || row.probeId === probeId);
  return { state, groupId, slot, places, keys };
}

/** What a key has in the whole topper buckets of the interval, slice by slice. */
function seriesParts(
  { state, first }: Grid,
  inner: Interval,
  wanted: WantedSeries | null,
  found: FoundSeries,
): (key: KeyPlace) => SeriesPart[] {
  const startOf = new Map(state.catalog.slices.map((slice) => [slice.sliceId, slice.startsAt]));
  const places = (wanted?.places ?? []).map(({ sliceId, probeId }) => {
    const { groupId, slot } = first.read;
    const grid = {
      sliceStart: startOf.get(sliceId) ?? 0,
      topperBucketSeconds: first.topperBucketSeconds,
      origin: originOf(first),
      stepSeconds: first.stepSeconds,
      inner,
    };
    return { place: { groupId, slot, sliceId, probeId }, grid };
  });
  return (key) =>
    places.flatMap(({ place, grid }) => {
      const readings = found(place, keyText(key));
      return readings ? [onSteps(readings, grid)] : [];
    });
}
