import type { Deadline } from '../../db/session/read-session.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import { type KeyStepsRequest, originOf, readKeyParts } from './key-steps.ts';
import {
  orderedValues,
  type SeriesValues,
  type SeriesValuesQuestion,
  selectValues,
  type TalliedValues,
  valuesBeside,
} from './percentiles.ts';
import { type KeyInSealed, SealedValueCache } from './sealed-values.ts';
import { type SeriesPart, StepSeries } from './step-series.ts';

/** question: selects values of a series by topper bucket; null: the whole series is wanted. */
export type RequestedKeySeries = KeyStepsRequest & {
  readonly question: SeriesValuesQuestion | null;
};

export type KeySeriesFound = {
  /** null: it was not needed for the values. */
  readonly series: StepSeries | null;
  /** null: no values were asked for. */
  readonly values: SeriesValues | null;
};

/**
 * Returns the series of any number of keys, or the values selected from them, in the order of the
 * requests. Pages that are not cached are read by one statement, after one for keys that are not
 * cached.
 */
export async function readKeySeries(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requested: readonly RequestedKeySeries[],
  deadline: Deadline | null,
): Promise<KeySeriesFound[]> {
  const cache = new SealedValueCache(reader, live);
  const inSealed = requested.map((each) => (each.question ? cache.find(each) : null));
  const parts = await readKeyParts(reader, live, requested.map(withoutKnown(inSealed)), deadline);
  const found: KeySeriesFound[] = [];
  const seriesOfParts = new Map<readonly SeriesPart[], StepSeries>();
  for (const [i, each] of requested.entries()) {
    const own = parts[i] ?? [];
    const known = inSealed[i] ?? null;
    const { question, read } = each;
    // Equal requests have the same parts, which are then joined once.
    const series = known?.values ? null : (seriesOfParts.get(own) ?? seriesOf(each, own));
    if (series) seriesOfParts.set(own, series);
    const values = question && selectValues(valuesOf(cache, known, own, read.aggregate), question);
    found.push({ series, values });
    await reader.pause();
  }
  return found;
}

/** Returns the values of series by topper bucket, to count and select some of them. */
export async function readKeyValues(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requests: readonly KeyStepsRequest[],
  deadline: Deadline | null,
): Promise<TalliedValues[]> {
  const cache = new SealedValueCache(reader, live);
  const inSealed = requests.map((each) => cache.find(each));
  const parts = await readKeyParts(reader, live, requests.map(withoutKnown(inSealed)), deadline);
  const found: TalliedValues[] = [];
  for (const [i, { read }] of requests.entries()) {
    found.push(valuesOf(cache, inSealed[i] ?? null, parts[i] ?? [], read.aggregate));
    await reader.pause();
  }
  return found;
}

/** Leaves out the segments whose values are known. */
const withoutKnown =
  (inSealed: readonly (KeyInSealed | null)[]) =>
  (request: KeyStepsRequest, i: number): KeyStepsRequest => {
    const { values, of } = inSealed[i] ?? {};
    return values && of ? { ...request, without: of } : request;
  };

/** parts: those outside the sealed segments if their values are known, else all. */
function valuesOf(
  cache: SealedValueCache,
  known: KeyInSealed | null,
  parts: readonly SeriesPart[],
  aggregate: Aggregate,
): TalliedValues {
  if (known?.values) return valuesBeside(known.values, parts, aggregate);
  if (known) cache.keep(known, parts);
  return orderedValues(parts, aggregate);
}

const seriesOf = (request: KeyStepsRequest, parts: readonly SeriesPart[]): StepSeries =>
  new StepSeries(
    { origin: originOf(request), stepSeconds: request.stepSeconds },
    parts,
    request.read.aggregate,
  );
