import { comparedOf } from '../../resolvers/toppers/topper-comparisons.ts';
import { builder } from '../builder.ts';
import { ComparedWindowRef, PreviousMetricRef, TimeIntervalRef, TopperRef } from '../refs.ts';

builder.objectField(TopperRef, 'compared', (t) =>
  t.field({
    type: ComparedWindowRef,
    nullable: true,
    description: 'The window that `GROWTH`, `DECLINE` and `NEW` compare with; else null.',
    resolve: (topper) => comparedOf(topper),
  }),
);

builder.objectType(ComparedWindowRef, {
  description: 'An earlier window that values are compared with.',
  fields: (t) => ({
    window: t.field({
      type: TimeIntervalRef,
      description: 'The earlier window.',
      resolve: ({ window }) => window,
    }),
    available: t.field({
      type: TimeIntervalRef,
      nullable: true,
      description:
        'The part of it within the span in which the group, or the chosen probe, has data; null: none of it.',
      resolve: ({ available }) => available,
    }),
  }),
});

builder.objectType(PreviousMetricRef, {
  description: "A key's value and rank in an earlier window.",
  fields: (t) => ({
    window: t.field({
      type: TimeIntervalRef,
      description: 'The earlier window.',
      resolve: ({ compared }) => compared.window,
    }),
    compared: t.field({
      type: ComparedWindowRef,
      description: 'The earlier window, and how much of it is available.',
      resolve: ({ compared }) => compared,
    }),
    metric: t.field({
      type: 'BigInt',
      nullable: true,
      description:
        'Its value then: 0 without a reading, null if nothing of that window is available.',
      resolve: ({ metric }) => metric,
    }),
    rank: t.exposeInt('rank', {
      nullable: true,
      description: 'Its rank then; null without a reading.',
    }),
    change: t.field({
      type: 'BigInt',
      nullable: true,
      description:
        'Its value now minus its value then; null if nothing of that window is available.',
      resolve: ({ change }) => change,
    }),
    changeRatio: t.exposeFloat('changeRatio', {
      nullable: true,
      description: '`change` ÷ its value then; null if that is 0 or null.',
    }),
  }),
});
