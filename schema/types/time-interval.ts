import { builder } from '../builder.ts';
import { TimeIntervalRef } from '../refs.ts';

builder.objectType(TimeIntervalRef, {
  description: 'A half-open interval of time: `from` is in it, `to` is not.',
  fields: (t) => ({
    from: t.field({
      type: 'EpochSeconds',
      description: 'Its start.',
      resolve: ({ from }) => from,
    }),
    to: t.field({
      type: 'EpochSeconds',
      description: 'Its end, not included.',
      resolve: ({ to }) => to,
    }),
    seconds: t.field({
      type: 'BigInt',
      description: 'Its length.',
      resolve: ({ from, to }) => to - from,
    }),
  }),
});
