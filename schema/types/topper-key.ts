import { parseRanks } from '../../domain/toppers/percentile.ts';
import {
  averageRateOf,
  shareOf,
  shownValue,
  volumeOf,
} from '../../domain/toppers/topper-arithmetic.ts';
import { attributesOf, labelOf, readableOf } from '../../resolvers/keys.ts';
import { densePoints, seriesLength } from '../../resolvers/toppers/series-step.ts';
import { drillDown, drillDowns, previousOf } from '../../resolvers/toppers/topper-comparisons.ts';
import { keyPeak, keyPercentiles, keySeries } from '../../resolvers/toppers/topper-series.ts';
import { builder } from '../builder.ts';
import {
  DRILLDOWN_ARGS,
  DRILLDOWNS_ARGS,
  decodeDrilldown,
  decodeDrilldowns,
} from '../inputs/drilldown-args.ts';
import {
  KeyAttributeRef,
  KeyRef,
  PercentileRef,
  PreviousMetricRef,
  SeriesPointRef,
  TopperKeyRef,
  TopperRef,
} from '../refs.ts';
import { expectValues } from './expect-values.ts';

builder.objectType(TopperKeyRef, {
  description: 'A key of a topper, with its rank.',
  authScopes: ({ topper }) => ({ granted: topper.plan.meter.group.at.name }),
  fields: (t) => ({
    rank: t.exposeInt('rank', {
      description: 'Its rank among the keys that pass the filter, from 1.',
    }),
    key: t.string({
      description: 'The raw key: `C0.A8.01.0A`.',
      resolve: ({ key }) => key.row.key,
    }),
    readable: t.string({
      description: 'The key as people read it: `192.168.1.10`.',
      resolve: ({ key }) => readableOf(key),
    }),
    label: t.string({
      description: 'Its name, if it has one; else its readable form.',
      resolve: ({ key }) => labelOf(key),
    }),
    description: t.string({
      nullable: true,
      description: 'What is known about it.',
      resolve: ({ key }) => key.row.description,
    }),
    metric: t.field({
      type: 'BigInt',
      description: "Its value over the window, by the meter's rule.",
      resolve: ({ value, topper }) => shownValue(value, topper.plan.rule),
    }),
    rankValue: t.field({
      type: 'BigInt',
      description: 'The value that it was ranked by: `metric`, unless `rankBy` says otherwise.',
      resolve: ({ rankValue }) => rankValue,
    }),
    volume: t.field({
      type: 'BigInt',
      nullable: true,
      description:
        "For counters and rate counters: the amount over the window in the meter's base unit (a rate's Bps gives bytes).",
      resolve: ({ value, topper }) => volumeOf(value, topper.plan.rule),
    }),
    averageRate: t.float({
      nullable: true,
      description: 'The amount per second over the window, for counters and rate counters.',
      resolve: ({ value, topper }) => averageRateOf(value, topper.plan.rule, topper.plan.covered),
    }),
    peak: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'The largest topper bucket in the window, in the unit of `metric`.',
      resolve: (ranked) => keyPeak(ranked),
    }),
    share: t.float({
      nullable: true,
      description: "Part of the group's total, 0 to 1; null if its values do not add up.",
      resolve: ({ value, topper }) => shareOf(value, topper.total, topper.plan.aggregate),
    }),
  }),
});

/** Leads to the key itself, which is the same wherever it is listed. */
builder.objectField(TopperKeyRef, 'keyNode', (t) =>
  t.field({
    type: KeyRef,
    nullable: true,
    description:
      'The key itself, with the id by which `node` and client caches identify it; null for a network.',
    // A topper reads all of its keys at once and completely: there is nothing left to read.
    resolve: ({ key, topper }) => (topper.plan.prefix ? null : key),
  }),
);

/** Fields that need a read of their own, and so can fail alone. */
builder.objectFields(TopperKeyRef, (t) => ({
  attributes: t.field({
    type: [KeyAttributeRef],
    nullable: true,
    description: 'Its other attributes, by name; null for a network.',
    resolve: ({ key, topper }) => (topper.plan.prefix ? null : attributesOf(key)),
  }),
  percentiles: t.field({
    type: [PercentileRef],
    nullable: true,
    description: 'Percentiles of its topper buckets in the window, by nearest rank.',
    args: {
      ranks: t.arg.floatList({
        required: true,
        description: 'Numbers from 0 to 100; the answer has the same order.',
      }),
    },
    resolve(ranked, { ranks }, scope) {
      const { maxPercentileRanks: most } = scope.settings;
      const known = ranks.length > 0 ? parseRanks(ranks.map(String), 'ranks', most) : [];
      return keyPercentiles(ranked, known);
    },
  }),
  series: t.field({
    type: [SeriesPointRef],
    nullable: true,
    description:
      "The key's values per topper bucket, or per `step` seconds: a multiple of bucketSize, aligned to the epoch, at most 10,000 points.",
    args: { step: t.arg.int({ description: 'Seconds between points.' }) },
    resolve(ranked, { step = null }, scope, info) {
      const { plan } = ranked.topper;
      expectValues(scope, densePoints(plan, seriesLength(plan, step).points), info);
      return keySeries(ranked, step);
    },
  }),
}));

/** Fields that read other windows and other groups. */
builder.objectFields(TopperKeyRef, (t) => ({
  previous: t.field({
    type: PreviousMetricRef,
    nullable: true,
    description:
      'The same key, meter and length of window, `ago` seconds earlier (default: the window just before).',
    args: { ago: t.arg.int({ description: 'How many seconds earlier.' }) },
    resolve: (ranked, { ago }) => previousOf(ranked, ago ?? null),
  }),
  drilldown: t.field({
    type: TopperRef,
    nullable: true,
    description: 'The top keys of a cross-key group under this key; null for a network.',
    args: DRILLDOWN_ARGS,
    resolve: (ranked, args, scope) => drillDown(scope, ranked, decodeDrilldown(args, scope)),
  }),
  drilldowns: t.field({
    type: [TopperRef],
    nullable: { list: true, items: true },
    description:
      "The same for several cross-key groups, in the order of the group's `drilldowns`, or of `by`. Each fails alone.",
    args: DRILLDOWNS_ARGS,
    resolve: (ranked, args, scope) => drillDowns(scope, ranked, decodeDrilldowns(args, scope)),
  }),
}));

builder.objectType(PercentileRef, {
  description: 'The value that the given percentage of topper buckets does not exceed.',
  fields: (t) => ({
    rank: t.exposeFloat('rank', { description: 'The requested percentage.' }),
    value: t.field({
      type: 'BigInt',
      description: 'The value, in the unit of `metric`.',
      resolve: ({ value }) => value,
    }),
  }),
});

builder.objectType(SeriesPointRef, {
  description: 'The value of one time step.',
  fields: (t) => ({
    at: t.field({
      type: 'EpochSeconds',
      description: 'Start of the step on its grid, possibly before the window itself.',
      resolve: ({ at }) => at,
    }),
    value: t.field({
      type: 'BigInt',
      description: "Its value; a rate's is the volume ÷ `step`.",
      resolve: ({ value }) => value,
    }),
  }),
});
