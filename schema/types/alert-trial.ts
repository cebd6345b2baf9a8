import { builder } from '../builder.ts';
import { AlertTrialEventRef, AlertTrialRef, KeyRef, TimeIntervalRef } from '../refs.ts';

builder.objectType(AlertTrialRef, {
  description: 'What a rule would have done on stored data.',
  authScopes: ({ at }) => ({ granted: at.name }),
  fields: (t) => ({
    fired: t.exposeInt('fired', { description: 'How many events it would have had.' }),
    events: t.field({
      type: [AlertTrialEventRef],
      description:
        'These events in the order in which they began, at most 1,000: those that ended first.',
      resolve: ({ events }) => [...events],
    }),
    windows: t.exposeInt('windows', { description: 'How many windows were evaluated.' }),
    window: t.field({
      type: TimeIntervalRef,
      nullable: true,
      description:
        'The window that was really tried: windows that end after `from` and by `to` were evaluated. null: none, because there are no data.',
      resolve: ({ window }) => window,
    }),
  }),
});

builder.objectType(AlertTrialEventRef, {
  description: 'An event that a rule would have had.',
  authScopes: ({ at }) => ({ granted: at.name }),
  fields: (t) => ({
    key: t.field({
      type: KeyRef,
      nullable: true,
      description: 'The key that it concerns; null: the whole group.',
      resolve: ({ key }) => key,
    }),
    startedAt: t.field({
      type: 'EpochSeconds',
      description: 'The end of the window in which it would have begun.',
      resolve: ({ event }) => event.startedAt,
    }),
    endedAt: t.field({
      type: 'EpochSeconds',
      nullable: true,
      description:
        'The end of the window in which it would have ended; null: it would still be firing at the end.',
      resolve: ({ event }) => event.endedAt,
    }),
    value: t.field({
      type: 'BigInt',
      description: 'What met the condition when it began, as in `AlertEvent.value`.',
      resolve: ({ event }) => event.value,
    }),
    peakValue: t.field({
      type: 'BigInt',
      description: 'The largest such value since then; the smallest, if the total is too low.',
      resolve: ({ event }) => event.peakValue,
    }),
  }),
});
