import {
  acknowledgementOf,
  alertOf,
  encodeEventCursor,
  findAlertEvent,
  keyOf,
} from '../../resolvers/alerts/alerts.ts';
import { builder } from '../builder.ts';
import { encodePath } from '../global-id.ts';
import {
  AlertEventConnectionRef,
  AlertEventEdgeRef,
  AlertEventRef,
  AlertRef,
  KeyRef,
} from '../refs.ts';
import { findContextAt, loadAlone } from './find-node.ts';
import { pageInfoOf } from './page-info.ts';

builder.node(AlertEventRef, {
  description: 'An occurrence of an alert: when it fires, and for which key.',
  authScopes: ({ at }) => ({ granted: at.name }),
  id: { resolve: ({ at, row }) => encodePath(at, row.eventId) },
  loadOne: loadAlone(AlertEventRef, async (id, scope) => {
    const found = await findContextAt(scope, id, 1);
    return found && findAlertEvent(found.at, found.rest[0] ?? '');
  }),
  fields: (t) => ({
    alert: t.field({
      type: AlertRef,
      description: 'The rule, as it was declared when the event began.',
      resolve: (event) => alertOf(event),
    }),
    key: t.field({
      type: KeyRef,
      nullable: true,
      description: 'The key that it concerns; null: the whole group.',
      resolve: (event) => keyOf(event),
    }),
    startedAt: t.field({
      type: 'EpochSeconds',
      description: 'The end of the window in which it began.',
      resolve: ({ row }) => row.startedAt,
    }),
    endedAt: t.field({
      type: 'EpochSeconds',
      nullable: true,
      description: 'The end of the window in which it ended; null: it is firing.',
      resolve: ({ row }) => row.endedAt,
    }),
    value: t.field({
      type: 'BigInt',
      description:
        'What met the condition when it began: the metric, how much it has grown, or the seconds of silence.',
      resolve: ({ row }) => BigInt(row.value),
    }),
    peakValue: t.field({
      type: 'BigInt',
      description: 'The largest such value since then; the smallest, if the total is too low.',
      resolve: ({ row }) => BigInt(row.peakValue),
    }),
    acknowledgedAt: t.field({
      type: 'EpochSeconds',
      nullable: true,
      description: 'Since when somebody looks after it (`acknowledgeEvent`); null: nobody does.',
      resolve: ({ row }) => row.acknowledged?.at ?? null,
    }),
    acknowledgedBy: t.string({
      nullable: true,
      description:
        'Name of the user who looks after it; null: nobody does, or your grant is limited and it is somebody else.',
      resolve: (event, _args, { identity }) =>
        acknowledgementOf(event, identity?.username)?.by ?? null,
    }),
    note: t.string({
      nullable: true,
      description: 'What that user says about it; null: nothing, or you may not see the user.',
      resolve: (event, _args, { identity }) =>
        acknowledgementOf(event, identity?.username)?.note ?? null,
    }),
  }),
});

builder.objectType(AlertEventConnectionRef, {
  description: 'A page of events of alerts.',
  authScopes: ({ at }) => ({ granted: at.name }),
  fields: (t) => ({
    edges: t.field({
      type: [AlertEventEdgeRef],
      description: 'The events of the page.',
      resolve: ({ events }) => [...events],
    }),
    pageInfo: t.field({
      type: builder.pageInfoRef(),
      description: 'The position of the page in the list.',
      resolve: ({ events, hasNextPage, hasPreviousPage }) =>
        pageInfoOf({ items: events, hasNextPage, hasPreviousPage }, encodeEventCursor),
    }),
  }),
});

builder.objectType(AlertEventEdgeRef, {
  description: 'An event in its page.',
  fields: (t) => ({
    cursor: t.string({
      description: 'For `after`: the next page begins after it.',
      resolve: (event) => encodeEventCursor(event),
    }),
    node: t.field({ type: AlertEventRef, description: 'The event.', resolve: (event) => event }),
  }),
});
