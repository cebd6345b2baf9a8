import { LIMITS } from '../../domain/limits.ts';
import { probeIdOf } from '../../resolvers/contexts.ts';
import {
  availableInterval,
  drilldownsOf,
  findMeter,
  keysOf,
  listMeters,
} from '../../resolvers/counter-groups.ts';
import { findKey, listKeys } from '../../resolvers/keys.ts';
import { askTrend } from '../../resolvers/toppers/topper-trend.ts';
import { askTopper } from '../../resolvers/toppers/toppers.ts';
import { builder } from '../builder.ts';
import { KeyKindEnum } from '../enums.ts';
import { encodePath } from '../global-id.ts';
import { asSelected } from '../inputs/as-selected.ts';
import { decodeFilter } from '../inputs/key-filter-input.ts';
import { decodeTopper, decodeTrend, TOPPER_ARGS, TREND_ARGS } from '../inputs/topper-args.ts';
import { decodeWindow, WindowInput } from '../inputs/window-input.ts';
import {
  CounterGroupRef,
  CrosskeyRef,
  KeyConnectionRef,
  KeyRef,
  MeterRef,
  TimeIntervalRef,
  TopperRef,
} from '../refs.ts';
import { findGroupAt, loadAlone } from './find-node.ts';

builder.node(CounterGroupRef, {
  description: 'A kind of thing that is counted: hosts, apps, protocols, pairs of them …',
  authScopes: ({ at }) => ({ granted: at.name }),
  id: { resolve: ({ at, guid }) => encodePath(at, guid.slice(1, -1)) },
  loadOne: loadAlone(
    CounterGroupRef,
    async (id, scope) => (await findGroupAt(scope, id, 1))?.group ?? null,
  ),
  fields: (t) => ({
    guid: t.field({
      type: 'Guid',
      description: 'Identifies the group: the `counter_group` of the REST endpoints.',
      resolve: ({ guid }) => guid,
    }),
    name: t.string({ description: 'Its name.', resolve: ({ row }) => row.name }),
    keyKind: t.field({
      type: KeyKindEnum,
      description: 'What its keys are.',
      resolve: ({ row }) => row.keyKind,
    }),
    bucketSize: t.int({
      description: 'Seconds of a bucket, the finest time resolution.',
      resolve: ({ row }) => row.bucketSize,
    }),
    topperBucketSize: t.int({
      description: 'Seconds of a topper bucket: the grid of percentiles, peaks and series.',
      resolve: ({ row }) => row.topperBucketSize,
    }),
    samplingRate: t.int({
      description: 'The sampling rate; metrics are already multiplied by it.',
      resolve: ({ row }) => row.samplingRate,
    }),
    timeInterval: t.field({
      type: TimeIntervalRef,
      nullable: true,
      description: 'From its oldest to the end of its newest bucket; null without data.',
      args: { probe: t.arg.string({ description: "Only this probe's readings." }) },
      resolve: async (group, { probe }) =>
        availableInterval(group, await probeIdOf(group.at, probe ?? null)),
    }),
  }),
});

/** Fields that lead on from a group: its meters, its toppers. */
builder.objectFields(CounterGroupRef, (t) => ({
  meters: t.field({
    type: [MeterRef],
    description: 'The meters of each key, by number.',
    resolve: (group) => listMeters(group),
  }),
  meter: t.field({
    type: MeterRef,
    nullable: true,
    description: 'One meter by its number; null when there is none.',
    args: { index: t.arg.int({ required: true, description: 'Number of the meter.' }) },
    resolve: (group, { index }) => findMeter(group, index),
  }),
  crosskey: t.field({
    type: CrosskeyRef,
    nullable: true,
    description: 'What its keys are made of; null unless it is a cross-key group.',
    resolve: (group) => (group.crosskey ? group : null),
  }),
  keysOf: t.field({
    type: CounterGroupRef,
    nullable: true,
    description:
      "The group that its keys are keys of: their texts and `drilldowns` are that group's. null: " +
      'they are its own, or you may not see that group.',
    resolve: (group) => keysOf(group),
  }),
  drilldowns: t.field({
    type: [CounterGroupRef],
    description: 'Cross-key groups that drill down from this group, or from `keysOf`.',
    resolve: (group) => drilldownsOf(group),
  }),
  topper: t.field({
    type: TopperRef,
    nullable: true,
    description: 'The largest keys by a meter over a time window, and the total of the others.',
    args: {
      meter: t.arg.int({
        required: true,
        defaultValue: 0,
        description: 'Number of the meter to rank by.',
      }),
      ...TOPPER_ARGS,
    },
    resolve: (group, args, scope, info) =>
      askTopper(scope, asSelected(decodeTopper(group, args.meter, args, scope), info)),
  }),
  topperTrend: t.field({
    type: [TopperRef],
    nullable: true,
    description:
      `The topper of each step of the window, oldest first; at most ${LIMITS.trendSteps} steps. Steps are ` +
      'aligned to the epoch and clipped to the window; those without readings are listed too.',
    args: {
      meter: t.arg.int({
        required: true,
        defaultValue: 0,
        description: 'Number of the meter to rank by.',
      }),
      ...TREND_ARGS,
    },
    resolve(group, args, scope) {
      const request = decodeTrend(group, args.meter, args, scope);
      return askTrend(scope, request, args.every);
    },
  }),
}));

/** Its keys. */
builder.objectFields(CounterGroupRef, (t) => ({
  keys: t.field({
    type: KeyConnectionRef,
    nullable: true,
    description: 'All keys of the group, in the order of their raw form.',
    args: {
      search: t.arg.string({
        description: 'Only keys with this text in the label or the readable form, ignoring case.',
      }),
      match: t.arg.string({
        description: 'RE2 pattern: only keys in whose raw form it is found.',
      }),
      cidr: t.arg.stringList({
        description: 'For address groups: only keys in one of these networks, in CIDR form.',
      }),
      window: t.arg({
        type: WindowInput,
        description: 'Only keys with a reading of any meter in this window, even a zero.',
      }),
      // Nullable, as Relay's compiler requires for a connection.
      first: t.arg.int({
        defaultValue: LIMITS.defaultKeysPage,
        description: 'How many keys to list, at most 1,000; null: 50.',
      }),
      after: t.arg.string({ description: 'Cursor of the key before the page.' }),
    },
    resolve: (group, { search, match, cidr, window, first, after }, scope) =>
      listKeys(scope, group, {
        filter: decodeFilter({ search, match, cidr }),
        window: window ? decodeWindow(window, scope.settings.timeZone) : null,
        first: first ?? LIMITS.defaultKeysPage,
        after: after ?? null,
      }),
  }),
  key: t.field({
    type: KeyRef,
    nullable: true,
    description: 'One key, raw or readable; null if the group has no such key.',
    args: { key: t.arg.string({ required: true, description: 'Raw or readable key.' }) },
    resolve: (group, { key }) => findKey(group, key),
  }),
}));
