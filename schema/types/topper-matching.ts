import { parseRanks } from '../../domain/toppers/percentile.ts';
import { shownTotal } from '../../domain/toppers/topper-arithmetic.ts';
import { densePoints, seriesLength } from '../../resolvers/toppers/series-step.ts';
import {
  matchingPeak,
  matchingPercentiles,
  matchingSeries,
} from '../../resolvers/toppers/topper-series.ts';
import { matchingOf, matchingShare } from '../../resolvers/toppers/toppers.ts';
import { builder } from '../builder.ts';
import { PercentileRef, SeriesPointRef, TopperMatchingRef, TopperRef } from '../refs.ts';
import { expectValues } from './expect-values.ts';

builder.objectField(TopperRef, 'matching', (t) =>
  t.field({
    type: TopperMatchingRef,
    description: 'All keys that pass the filter, together, listed or not; without one, the group.',
    resolve: (topper) => matchingOf(topper),
  }),
);

builder.objectType(TopperMatchingRef, {
  description:
    'All keys that pass the filter of a topper, together, by the rules of a single key: their ' +
    "readings are combined by the meter's rule in each bucket.",
  fields: (t) => ({
    total: t.field({
      type: 'BigInt',
      description: 'Their total, in the unit of `metric`.',
      resolve: ({ total, topper }) => shownTotal(total, topper.plan.rule),
    }),
    share: t.float({
      nullable: true,
      description: "Their part of the group's total, 0 to 1; null if its values do not add up.",
      resolve: (matching) => matchingShare(matching),
    }),
    keyCount: t.int({
      description: 'Number of keys that had a reading and passed the filter, whatever ranks them.',
      resolve({ keyCount }) {
        if (keyCount === null) throw new Error('the number of keys was not asked for');
        return keyCount;
      },
    }),
    peak: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'Their largest topper bucket in the window, in the unit of `metric`.',
      resolve: ({ topper }) => matchingPeak(topper.plan),
    }),
    percentiles: t.field({
      type: [PercentileRef],
      nullable: true,
      description: 'Percentiles of their topper buckets in the window, by nearest rank.',
      args: {
        ranks: t.arg.floatList({
          required: true,
          description: 'Numbers from 0 to 100; the answer has the same order.',
        }),
      },
      resolve({ topper }, { ranks }, { settings }) {
        const most = settings.maxPercentileRanks;
        const known = ranks.length > 0 ? parseRanks(ranks.map(String), 'ranks', most) : [];
        return matchingPercentiles(topper.plan, known);
      },
    }),
    series: t.field({
      type: [SeriesPointRef],
      nullable: true,
      description:
        'Their values per topper bucket, or per `step` seconds: a multiple of bucketSize, aligned to the epoch, at most 10,000 points.',
      args: { step: t.arg.int({ description: 'Seconds between points.' }) },
      resolve({ topper: { plan } }, { step = null }, scope, info) {
        expectValues(scope, densePoints(plan, seriesLength(plan, step).points), info);
        return matchingSeries(plan, step);
      },
    }),
  }),
});
