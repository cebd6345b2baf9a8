import { LIMITS } from '../../domain/limits.ts';
import { shownTotal } from '../../domain/toppers/topper-arithmetic.ts';
import { flatSeries, flatSeriesStep } from '../../resolvers/toppers/flat-series.ts';
import { densePoints, seriesLength, stepCount } from '../../resolvers/toppers/series-step.ts';
import { topperSeries } from '../../resolvers/toppers/topper-series.ts';
import { shownOthers } from '../../resolvers/toppers/toppers.ts';
import { builder } from '../builder.ts';
import {
  CounterGroupRef,
  FlatSeriesPointRef,
  MeterRef,
  TimeIntervalRef,
  TopperKeyRef,
  TopperRef,
  TopperSeriesPointRef,
} from '../refs.ts';
import { expectValues } from './expect-values.ts';

builder.objectType(TopperRef, {
  description: 'The largest keys of a group by a meter over a window. It is always exact.',
  authScopes: ({ plan }) => ({ granted: plan.meter.group.at.name }),
  fields: (t) => ({
    counterGroup: t.field({
      type: CounterGroupRef,
      description: 'The group whose keys are ranked.',
      resolve: ({ plan }) => plan.meter.group,
    }),
    meter: t.field({
      type: MeterRef,
      description: 'The meter they are ranked by.',
      resolve: ({ plan }) => plan.meter,
    }),
    window: t.field({
      type: TimeIntervalRef,
      description: 'The window as resolved.',
      resolve: ({ plan }) => plan.window,
    }),
    availableWindow: t.field({
      type: TimeIntervalRef,
      nullable: true,
      description:
        'The span in which the group, or the chosen probe, has data: look here if `keys` is ' +
        'empty. Null without data.',
      resolve: ({ plan }) => plan.available,
    }),
    samplingRate: t.int({
      description: 'The sampling rate; all values are already multiplied by it.',
      resolve: ({ plan }) => plan.rule.samplingRate,
    }),
    total: t.field({
      type: 'BigInt',
      description: 'The total of the whole group, whatever the filter.',
      resolve: ({ total, plan }) => shownTotal(total, plan.rule),
    }),
    others: t.field({
      type: 'BigInt',
      description: "The total of all keys not in `keys`: the REST endpoint's sysgrouptotal.",
      resolve: (topper) => shownOthers(topper),
    }),
    othersMatching: t.field({
      type: 'BigInt',
      description: 'The total of the keys that pass the filter but are not in `keys`.',
      resolve: ({ othersMatching, plan }) => shownTotal(othersMatching, plan.rule),
    }),
    keyCount: t.int({
      description: 'Number of keys that had a reading and passed the filter.',
      resolve({ keyCount }) {
        if (keyCount === null) throw new Error('the number of keys was not asked for');
        return keyCount;
      },
    }),
  }),
});

/** Lists; those that have to be computed announce their values first. */
builder.objectFields(TopperRef, (t) => ({
  series: t.field({
    type: [TopperSeriesPointRef],
    nullable: true,
    description: 'Total and others over time, for a chart whose stack is the total.',
    args: {
      step: t.arg.int({
        description:
          'Seconds between points, a multiple of bucketSize; left out: topperBucketSize.',
      }),
    },
    resolve(topper, { step = null }, scope, info) {
      expectValues(scope, densePoints(topper.plan, seriesLength(topper.plan, step).points), info);
      return topperSeries(topper, step);
    },
  }),
  flatSeries: t.field({
    type: [FlatSeriesPointRef],
    nullable: true,
    description:
      'The series of the listed keys and of the others as rows of one table, for tools that ' +
      `read tables. Sorted by time, then by rank; at most ${LIMITS.flatSeriesRows} rows.`,
    args: {
      step: t.arg.int({
        description:
          'Seconds between points, a multiple of bucketSize; left out: topperBucketSize. With ' +
          '`maxPoints`: the minimum step, in any number of seconds.',
      }),
      maxPoints: t.arg.int({
        description:
          'Maximum number of points in time. If `step` gives more, or more rows than allowed, the ' +
          'step becomes the smallest multiple of topperBucketSize that fits.',
      }),
    },
    resolve(topper, { step = null, maxPoints = null }, scope, info) {
      const stepSeconds = flatSeriesStep(topper, { step, maxPoints });
      const rows = stepCount(topper.plan, stepSeconds) * (topper.keys.length + 1);
      expectValues(scope, densePoints(topper.plan, rows), info);
      return flatSeries(topper, stepSeconds);
    },
  }),
  keys: t.field({
    type: [TopperKeyRef],
    description: 'The listed keys, largest first; ties in the order of their raw form.',
    resolve: ({ keys }) => [...keys],
  }),
}));

builder.objectType(TopperSeriesPointRef, {
  description: 'Total and others of one time step.',
  fields: (t) => ({
    at: t.field({
      type: 'EpochSeconds',
      description: 'Start of the step on its grid.',
      resolve: ({ at }) => at,
    }),
    total: t.field({
      type: 'BigInt',
      description: 'The whole group.',
      resolve: ({ total }) => total,
    }),
    others: t.field({
      type: 'BigInt',
      description: 'All keys that are not listed.',
      resolve: ({ others }) => others,
    }),
  }),
});

builder.objectType(FlatSeriesPointRef, {
  description: 'The value of one time step, of a listed key or of all others.',
  fields: (t) => ({
    at: t.field({
      type: 'EpochSeconds',
      description: 'Start of the step on its grid.',
      resolve: ({ at }) => at,
    }),
    key: t.string({
      nullable: true,
      description: 'Raw form of the key; null: all keys that are not listed.',
      resolve: ({ key }) => key,
    }),
    label: t.string({
      description: 'Its label, or `others`.',
      resolve: ({ label }) => label,
    }),
    value: t.field({
      type: 'BigInt',
      description: 'The same as in the series of the key, and as `others` in that of the topper.',
      resolve: ({ value }) => value,
    }),
    averageRate: t.exposeFloat('averageRate', {
      nullable: true,
      description:
        'For counters and rate counters: the amount per second, over the part of the step that ' +
        'lies in the window and has data. It does not depend on the length of the step.',
    }),
  }),
});
