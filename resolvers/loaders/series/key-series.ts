import type { TimeBound } from '../../../db/session/read-session.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import type { SeriesValues, SeriesValuesQuestion } from '../plan/key-questions.ts';
import type { SegmentReader } from '../session/segment-reader.ts';
import { JoinedRuns, type SoughtRun } from './joined-runs.ts';
import { type KeyStepsRequest, originOf, readKeyParts } from './key-steps.ts';
import { selectValues, type TalliedValues } from './ordered-values.ts';
import { type SeriesPart, StepSeries } from './step-series.ts';

/** question: selects values of a series by topper bucket; null: the whole series is wanted. */
export type KeySeriesAsked = KeyStepsRequest & { readonly question: SeriesValuesQuestion | null };

export type KeySeriesFound = StepSeries | SeriesValues;

/**
 * Returns the series of any number of keys, or the values selected from them, in the order of the
 * requests. Pages that are not cached are read by one statement, after one for keys that are not
 * cached.
 */
export async function readKeySeries(
  reader: SegmentReader,
  live: readonly StoredSegment[],
  asked: readonly KeySeriesAsked[],
  bound: TimeBound | null,
): Promise<KeySeriesFound[]> {
  const runs = new JoinedRuns(reader, live);
  const sought = asked.map((each) => (each.question ? runs.seek(each) : null));
  const parts = await readKeyParts(reader, live, asked.map(withoutKnown(sought)), bound);
  const found: KeySeriesFound[] = [];
  const joined = new Map<readonly SeriesPart[], StepSeries>();
  for (const [i, each] of asked.entries()) {
    const own = parts[i] ?? [];
    if (each.question) {
      const values = runs.valuesOf(sought[i] ?? null, own, each.read.fold);
      found.push(selectValues(values, each.question));
      await reader.goOn();
    } else {
      // Equal requests have the same parts, which are then joined once.
      const series = joined.get(own) ?? seriesOf(each, own);
      joined.set(own, series);
      found.push(series);
    }
  }
  return found;
}

/** Returns the values of series by topper bucket, to count and select some of them. */
export async function readKeyValues(
  reader: SegmentReader,
  live: readonly StoredSegment[],
  requests: readonly KeyStepsRequest[],
  bound: TimeBound | null,
): Promise<TalliedValues[]> {
  const runs = new JoinedRuns(reader, live);
  const sought = requests.map((each) => runs.seek(each));
  const parts = await readKeyParts(reader, live, requests.map(withoutKnown(sought)), bound);
  return requests.map(({ read }, i) => runs.valuesOf(sought[i] ?? null, parts[i] ?? [], read.fold));
}

/** Leaves out the segments whose values are known. */
const withoutKnown =
  (sought: readonly (SoughtRun | null)[]) =>
  (request: KeyStepsRequest, i: number): KeyStepsRequest => {
    const { known, run } = sought[i] ?? {};
    return known && run ? { ...request, without: run } : request;
  };

const seriesOf = (request: KeyStepsRequest, parts: readonly SeriesPart[]): StepSeries =>
  new StepSeries(
    { origin: originOf(request), stepSeconds: request.stepSeconds },
    parts,
    request.read.fold,
  );
