import { LIMITS } from '../../domain/limits.ts';
import { listAlertEvents, listAlerts } from '../../resolvers/alerts/alerts.ts';
import { listSinks } from '../../resolvers/alerts/sinks.ts';
import { tryAlert } from '../../resolvers/alerts/trial.ts';
import { answeringNode, haSlaveMode, probeNames, totalWindow } from '../../resolvers/contexts.ts';
import { groupAt, searchGroups } from '../../resolvers/counter-groups.ts';
import { listExporters } from '../../resolvers/exporters.ts';
import { listPools } from '../../resolvers/pools.ts';
import { listViews } from '../../resolvers/saved-views.ts';
import { listSlices } from '../../resolvers/slices.ts';
import { builder } from '../builder.ts';
import { encodePath } from '../global-id.ts';
import { AlertInput, decodeAlert } from '../inputs/alert-input.ts';
import { requireGroupRef } from '../inputs/group-ref.ts';
import { zoneOf } from '../inputs/topper-args.ts';
import {
  decodeInterval,
  decodeWindow,
  TimeIntervalInput,
  WindowInput,
} from '../inputs/window-input.ts';
import {
  AlertEventConnectionRef,
  AlertRef,
  AlertSinkRef,
  AlertTrialRef,
  ContextRef,
  CounterGroupRef,
  ExporterRef,
  PoolRef,
  SavedViewRef,
  SliceRef,
  TimeIntervalRef,
} from '../refs.ts';
import { findContextAt, loadAlone } from './find-node.ts';

builder.node(ContextRef, {
  description: 'A named data set: its counter groups, and the slices of time they are stored in.',
  authScopes: (context) => ({ granted: context.name }),
  id: { resolve: (context) => encodePath(context) },
  loadOne: loadAlone(
    ContextRef,
    async (id, scope) => (await findContextAt(scope, id, 0))?.at ?? null,
  ),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    haSlaveMode: t.boolean({
      nullable: true,
      description: 'Whether the answering node is a standby, as the node itself reports.',
      resolve: (context) => haSlaveMode(context),
    }),
    totalWindow: t.field({
      type: TimeIntervalRef,
      nullable: true,
      description: 'From the oldest to the newest available bucket; null without data.',
      resolve: (context) => totalWindow(context),
    }),
    slices: t.field({
      type: [SliceRef],
      nullable: true,
      description: 'The stored slices, oldest first, then by engine instance.',
      args: {
        allEngines: t.arg.boolean({
          required: true,
          defaultValue: false,
          description: 'Whether to list the slices of all engine instances, not only those of 0.',
        }),
        within: t.arg({
          type: TimeIntervalInput,
          description: 'Only slices that overlap this interval.',
        }),
      },
      async resolve(context, { allEngines, within }, scope) {
        const selection = { allEngines, within: decodeInterval(within, 'within') };
        return (await listSlices(scope, context, selection)).slices;
      },
    }),
    pools: t.field({
      type: [PoolRef],
      nullable: true,
      description: 'Where the data is stored, with total and free space.',
      resolve: (context) => listPools(context),
    }),
    exporters: t.field({
      type: [ExporterRef],
      nullable: true,
      description:
        'The exporters that its collectors have heard, those with the most flows first, at most 1,000; empty if your grant is limited.',
      resolve: (context) => listExporters(context),
    }),
    nodeName: t.string({
      description: 'The PostgreSQL node that answers.',
      resolve: (context, _args, scope) => answeringNode(scope, context),
    }),
    probes: t.stringList({
      description: 'Names of the probes that readings can be restricted to.',
      resolve: (context) => probeNames(context),
    }),
    counterGroups: t.field({
      type: [CounterGroupRef],
      description: 'The enabled counter groups, by name.',
      args: {
        guids: t.arg({ type: ['Guid'], description: 'Only these groups.' }),
        search: t.arg.string({ description: 'Only groups with this text in name or GUID.' }),
      },
      resolve: (context, { guids, search }) => searchGroups(context, guids ?? null, search ?? null),
    }),
    counterGroup: t.field({
      type: CounterGroupRef,
      nullable: true,
      description: 'One enabled counter group, by GUID or by name; null when there is none.',
      args: {
        guid: t.arg({ type: 'Guid', description: 'GUID of the group.' }),
        name: t.arg.string({
          description:
            'Its name as declared, in place of `guid`. Upper and lower case do not matter if only one group has it.',
        }),
      },
      resolve: (context, { guid, name }) =>
        groupAt(context, requireGroupRef({ guid, name, argument: 'guid' })),
    }),
  }),
});

/** The views of the dashboard that users have saved in it. */
builder.objectFields(ContextRef, (t) => ({
  views: t.field({
    type: [SavedViewRef],
    nullable: true,
    description:
      'The saved views of the dashboard, at most 500: your own by name, then those that others share; only your own if your grant is limited.',
    resolve: (context, _args, scope) => listViews(scope, context),
  }),
}));

/** The alerts that watch it. */
builder.objectFields(ContextRef, (t) => ({
  alerts: t.field({
    type: [AlertRef],
    description: 'The rules that watch its enabled counter groups, by name.',
    resolve: (context) => listAlerts(context),
  }),
  alertEvents: t.field({
    type: AlertEventConnectionRef,
    description: 'The events of its alerts, firing ones included, newest first.',
    args: {
      alert: t.arg.string({
        description: 'Only events of alerts with this name, including earlier declarations.',
      }),
      // Nullable, as Relay's compiler requires for a connection.
      first: t.arg.int({
        defaultValue: LIMITS.defaultAlertEventsPage,
        description: 'How many events to list, at most 1,000; null: 50.',
      }),
      after: t.arg.string({ description: 'Cursor of the event before the page.' }),
    },
    resolve: (context, { alert, first, after }) =>
      listAlertEvents(context, {
        alert: alert ?? null,
        first: first ?? LIMITS.defaultAlertEventsPage,
        after: after ?? null,
      }),
  }),
  alertSinks: t.field({
    type: [AlertSinkRef],
    nullable: true,
    description:
      'Who is told of its events, by name; null unless you are an editor of all of the context.',
    resolve: (context, _args, scope) => listSinks(scope, context),
  }),
  alertTrial: t.field({
    type: AlertTrialRef,
    nullable: true,
    description:
      'What a rule would have done in a window of stored data, whether it is saved or not. Nothing is changed, and nobody is told. At most 9,000 windows are evaluated, a month of five minutes each: the newest ones. Not for SILENT_SECONDS. Only for editors of all of the context.',
    args: {
      alert: t.arg({ type: AlertInput, required: true, description: 'The rule.' }),
      window: t.arg({
        type: WindowInput,
        required: true,
        description: 'The time that its windows must end in.',
      }),
      timeZone: t.arg.string({ description: 'IANA name: for dates and presets.' }),
    },
    resolve: (context, { alert, window, timeZone: zone }, scope) => {
      const timeZone = zoneOf(zone, scope.settings);
      const rule = { ...decodeAlert(alert), window: decodeWindow(window, timeZone), timeZone };
      return tryAlert(scope, context, rule);
    },
  }),
}));
