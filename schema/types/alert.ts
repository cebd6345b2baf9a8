import { conditionOf, findAlert, firingEvents, wholeRule } from '../../resolvers/alerts/alerts.ts';
import { builder } from '../builder.ts';
import { AlertComparisonEnum } from '../enums.ts';
import { encodePath } from '../global-id.ts';
import { AlertEventRef, AlertFilterRef, AlertRef, CounterGroupRef, MeterRef } from '../refs.ts';
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
      resolve: ({ row }) => row.filter !== null,
    }),
    evaluatedTo: t.field({
      type: 'EpochSeconds',
      nullable: true,
      description:
        'The end of the last evaluated window; null: none yet, or your grant is limited.',
      resolve: (alert) => wholeRule(alert)?.evaluatedTo ?? null,
    }),
    firing: t.field({
      type: [AlertEventRef],
      description: 'Its events that are firing, in the order in which they began.',
      resolve: (alert) => firingEvents(alert),
    }),
  }),
});

/** The rest of its declaration, where it comes from, and its silence. */
builder.objectFields(AlertRef, (t) => ({
  filter: t.field({
    type: AlertFilterRef,
    nullable: true,
    description: 'Which keys count; null: all, or your grant is limited.',
    resolve: (alert) => wholeRule(alert)?.filter ?? null,
  }),
  forWindows: t.int({
    description: 'How many windows in a row must meet the condition before an event begins.',
    resolve: ({ row }) => row.forWindows,
  }),
  clearWindows: t.int({
    description: 'How many windows in a row must not meet it before an event ends.',
    resolve: ({ row }) => row.clearWindows,
  }),
  maxKeys: t.int({
    description: 'How many keys may fire at once, the largest first.',
    resolve: ({ row }) => row.maxKeys,
  }),
  madeInPage: t.boolean({
    description:
      'Whether it was made by `saveAlert`; `apply` then changes it only with `"replace": true`.',
    resolve: ({ row }) => row.madeBy !== null,
  }),
  madeBy: t.string({
    nullable: true,
    description:
      'Name of the user who saved it last; null: it was declared, or your grant is limited.',
    resolve: (alert) => wholeRule(alert)?.madeBy ?? null,
  }),
  silencedUntil: t.field({
    type: 'EpochSeconds',
    nullable: true,
    description:
      'Until then, no sink is told of events that begin; null: it is not silenced, or your grant is limited.',
    resolve: (alert) => wholeRule(alert)?.silence?.until ?? null,
  }),
  silencedBy: t.string({
    nullable: true,
    description: 'Name of the user who silenced it; null: it is not silenced.',
    resolve: (alert) => wholeRule(alert)?.silence?.by ?? null,
  }),
  silenceReason: t.string({
    nullable: true,
    description: 'Why it is silenced; null: nobody said, or it is not silenced.',
    resolve: (alert) => wholeRule(alert)?.silence?.reason ?? null,
  }),
}));

builder.objectType(AlertFilterRef, {
  description:
    'Which keys a rule watches, as in `KeyFilterInput`: all given conditions must hold, and an empty list was left out.',
  fields: (t) => ({
    match: t.string({
      nullable: true,
      description: 'RE2 pattern searched in the raw key.',
      resolve: ({ match }) => match,
    }),
    exclude: t.string({
      nullable: true,
      description: 'RE2 pattern; keys in which it is found do not count.',
      resolve: ({ exclude }) => exclude,
    }),
    keys: t.stringList({
      description: 'Only these keys, raw or readable as they were given.',
      resolve: ({ keys = [] }) => [...keys],
    }),
    excludeKeys: t.stringList({
      description: 'All but these keys, raw or readable as they were given.',
      resolve: ({ excludeKeys = [] }) => [...excludeKeys],
    }),
    cidr: t.stringList({
      description: 'Only addresses in these networks, in CIDR form.',
      resolve: ({ cidr = [] }) => [...cidr],
    }),
    excludeCidr: t.stringList({
      description: 'No addresses in these networks, in CIDR form.',
      resolve: ({ excludeCidr = [] }) => [...excludeCidr],
    }),
    search: t.string({
      nullable: true,
      description: 'Case-insensitive text in the label or the readable form.',
      resolve: ({ search }) => search,
    }),
  }),
});
