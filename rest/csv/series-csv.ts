import type { Cell } from '../../domain/text/csv-cell.ts';
import { beginEach } from '../../resolvers/begin-each.ts';
import { labelOf } from '../../resolvers/keys.ts';
import type { Rendered, RequestScope } from '../../resolvers/request-scope.ts';
import { checkedStep, seriesOfKeys } from '../../resolvers/toppers/series-step.ts';
import { keySeries, type SeriesPoint } from '../../resolvers/toppers/topper-series.ts';
import type { RankedKey, Topper } from '../../resolvers/toppers/toppers.ts';
import type { TopperOptions } from '../parameters/decode-topper.ts';
import { csvAnswer } from './csv-answer.ts';

type KeySeries = { readonly ranked: RankedKey; readonly points: readonly SeriesPoint[] };

/**
 * Writes the series of the listed keys as a table: a header, and a row for each point, sorted by
 * time and then by rank. Errors: those of a series in GraphQL.
 */
export async function seriesCsv(
  scope: RequestScope,
  topper: Topper,
  { step, resolveKeys }: Pick<TopperOptions, 'resolveKeys'> & { readonly step: number | null },
): Promise<Rendered> {
  const { plan, keys } = topper;
  checkedStep(plan, step, seriesOfKeys(keys.length));
  const series = await beginEach(
    keys,
    async (ranked) => ({ ranked, points: await keySeries(ranked, step) }),
    plan.meter.group.at.loaders.pause,
  );
  const { guid } = plan.meter.group;
  const name = `series-${guid.slice(1, -1)}-${plan.meter.row.meterId}`;
  return csvAnswer(scope, name, rowsOf(series, resolveKeys));
}

function* rowsOf(series: readonly KeySeries[], hasLabel: boolean): Iterable<Cell[]> {
  yield ['at', 'key', ...(hasLabel ? ['label'] : []), 'value'];
  const next = series.map(() => 0);
  for (let at = earliest(series, next); at !== null; at = earliest(series, next)) {
    for (const [keyIndex, { ranked, points }] of series.entries()) {
      const point = points[next[keyIndex] ?? 0];
      if (point?.at !== at) continue;
      next[keyIndex] = (next[keyIndex] ?? 0) + 1;
      const label = hasLabel ? [labelOf(ranked.key)] : [];
      yield [at, ranked.key.row.key, ...label, point.value];
    }
  }
}

/** Returns the earliest time among the next points of all series; null: no points are left. */
function earliest(series: readonly KeySeries[], next: readonly number[]): number | null {
  let earliest: number | null = null;
  for (const [keyIndex, { points }] of series.entries()) {
    const at = points[next[keyIndex] ?? 0]?.at;
    if (at !== undefined && (earliest === null || at < earliest)) earliest = at;
  }
  return earliest;
}
