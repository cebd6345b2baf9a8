import type { TimeBound } from '../../../db/session/read-session.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import type { SeriesValues, SeriesValuesQuestion } from '../plan/key-questions.ts';
import type { SegmentReader } from '../session/segment-reader.ts';
import { type KeyStepsRequest, originOf, readKeyParts } from './key-steps.ts';
import { orderedValues, selectValues } from './ordered-values.ts';
import { SortedRuns } from './sorted-runs.ts';
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
  const runs = new SortedRuns(reader, live);
  const sought = asked.map((each) => (each.question ? runs.seek(each) : null));
  const requests = asked.map((each, i) => {
    const { ascending, run } = sought[i] ?? {};
    return ascending && run ? { ...each, without: run } : each;
  });
  const found: KeySeriesFound[] = [];
  const joined = new Map<readonly SeriesPart[], StepSeries>();
  for (const [i, parts] of (await readKeyParts(reader, live, requests, bound)).entries()) {
    const each = asked[i] as KeySeriesAsked;
    if (each.question) {
      const { fold } = each.read;
      const run = sought[i];
      const values = run ? runs.valuesOf(run, parts, fold) : orderedValues(parts, fold);
      found.push(selectValues(values, each.question));
      await reader.goOn();
    } else {
      // Equal requests have the same parts, which are then joined once.
      const series = joined.get(parts) ?? seriesOf(each, parts);
      joined.set(parts, series);
      found.push(series);
    }
  }
  return found;
}

const seriesOf = (request: KeyStepsRequest, parts: readonly SeriesPart[]): StepSeries =>
  new StepSeries(
    { origin: originOf(request), stepSeconds: request.stepSeconds },
    parts,
    request.read.fold,
  );
