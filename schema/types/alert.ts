import {
  conditionOf,
  evaluatedTo,
  findAlert,
  firingEvents,
} from '../../resolvers/alerts/alerts.ts';
import { builder } from '../builder.ts';
import { AlertComparisonEnum } from '../enums.ts';
import { encodePath } from '../global-id.ts';
import { AlertEventRef, AlertRef, CounterGroupRef, MeterRef } from '../refs.ts';
import { findContextAt, loadAlone } from './find-node.ts';

builder.node(AlertRef, {
  description:
    'A rule that watches a counter group. A changed declaration is another alert with the same name; the id identifies the declaration.',
  authScopes: ({ at }) => ({ granted: at.name }),
  // Not the name: a client's cache would mix a rule with its version when an event began.
  id: { resolve: ({ at, row }) => encodePath(at, row.revision) },
  loadOne: loadAlone(AlertRef, async (id, scope) => {
    const found = await findContextAt(scope, id, 1);
    return found && findAlert(found.at, found.rest[0] ?? '');
  }),
  fields: (t) => ({
    name: t.string({ description: 'Its name.', resolve: ({ row }) => row.name }),
    severity: t.string({
      description: 'How severe it is, as declared: `warning`.',
      resolve: ({ row }) => row.severity,
    }),
    description: t.string({
      nullable: true,
      description: 'The description in its declaration.',
      resolve: ({ row }) => row.description,
    }),
    enabled: t.boolean({
      description: 'Whether it is evaluated; a disabled alert never fires.',
      resolve: ({ row }) => row.enabled,
    }),
    counterGroup: t.field({
      type: CounterGroupRef,
      description: 'The group it watches.',
      resolve: ({ group }) => group,
    }),
    meter: t.field({
      type: MeterRef,
      description: 'The meter that it compares.',
      resolve: ({ meter }) => meter,
    }),
    windowSeconds: t.int({
      description: 'Length of the evaluated window, in seconds.',
      resolve: ({ row }) => row.windowSeconds,
    }),
    condition: t.string({
      description: 'When it fires, in words: `a key above 1000000000`.',
      resolve: (alert) => conditionOf(alert),
    }),
    comparison: t.field({
      type: AlertComparisonEnum,
      description: 'The value that it compares with `threshold`: `condition` for programs.',
      resolve: ({ row }) => row.condition,
    }),
    threshold: t.float({
      description:
        'The limit of the compared value: a metric as toppers show it, a share of the total, a rank or seconds.',
      resolve: ({ row }) => row.threshold,
    }),
    probe: t.string({
      nullable: true,
      description: 'Name of the probe whose readings it uses; null: all.',
      resolve: ({ row }) => row.probe,
    }),
    filtered: t.boolean({
      description: 'Whether it watches only the keys that pass its filter.',
      resolve: ({ row }) => row.isFiltered,
    }),
    evaluatedTo: t.field({
      type: 'EpochSeconds',
      nullable: true,
      description:
        'The end of the last evaluated window; null: none yet, or your grant is limited.',
      resolve: (alert) => evaluatedTo(alert),
    }),
    firing: t.field({
      type: [AlertEventRef],
      description: 'Its events that are firing, in the order in which they began.',
      resolve: (alert) => firingEvents(alert),
    }),
  }),
});
