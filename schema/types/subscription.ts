import { malformed } from '../../domain/errors.ts';
import type { AlertEventView } from '../../resolvers/alerts/alerts.ts';
import { type ContextView, findContext } from '../../resolvers/contexts.ts';
import { findGroup } from '../../resolvers/counter-groups.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { askTopper } from '../../resolvers/toppers/toppers.ts';
import { builder } from '../builder.ts';
import { asSelected } from '../inputs/as-selected.ts';
import { decodeTopper, TOPPER_ARGS } from '../inputs/topper-args.ts';
import { AlertEventRef, ContextRef, TopperRef } from '../refs.ts';

builder.subscriptionType({
  description:
    'Answers that follow the data, as server-sent events (`Accept: text/event-stream`). If the object does not exist or is not granted to you, the stream is a single null.',
});

type Followed = {
  readonly name: string;
  readonly destinationNode?: string | null | undefined;
  readonly everySeconds: number;
};

/** Finds the context on the node that answers; null: it does not exist, or is not granted. */
async function follow(
  scope: RequestScope,
  { name, destinationNode, everySeconds }: Followed,
): Promise<ContextView | null> {
  if (everySeconds < 1) throw malformed('everySeconds', 'an integer of at least 1', everySeconds);
  return findContext(scope, name, { destinationNode: destinationNode ?? null, fromDr: false });
}

const FOLLOW_ARGS = builder.args((t) => ({
  destinationNode: t.string({
    description: 'Name of the node to read from; default: the primary, or a shared standby.',
  }),
  everySeconds: t.int({
    required: true,
    defaultValue: 1,
    description: 'At most one answer in this many seconds; the last one is never omitted.',
  }),
}));

/**
 * Each field answers once, as a field of a query does. `server/subscriptions/` decides when it is resolved
 * again and who receives the result; graphql-js's own subscriptions are not used.
 */
const answeredElsewhere = (): never => {
  throw new Error('subscriptions are answered by server/subscriptions');
};

builder.subscriptionFields((t) => ({
  topper: t.field({
    type: TopperRef,
    nullable: true,
    description:
      'A topper now, and again after every commit that changes it, at most once in `everySeconds`.',
    authScopes: { signedIn: true },
    args: {
      context: t.arg.string({ required: true, description: 'Name of the context.' }),
      counterGroup: t.arg({ type: 'Guid', required: true, description: 'GUID of the group.' }),
      meter: t.arg.int({
        required: true,
        defaultValue: 0,
        description: 'Number of the meter to rank by.',
      }),
      ...TOPPER_ARGS,
      ...FOLLOW_ARGS,
    },
    subscribe: answeredElsewhere,
    async resolve(_event, { context, counterGroup, meter, ...args }, scope, info) {
      const { destinationNode, everySeconds } = args;
      const at = await follow(scope, { name: context, destinationNode, everySeconds });
      const group = at && (await findGroup(at, counterGroup));
      if (!group) return null;
      return askTopper(scope, asSelected(decodeTopper(group, meter, args, scope), info));
    },
  }),
  contextChanged: t.field({
    type: ContextRef,
    nullable: true,
    description:
      'A context now, and again after every commit that changes the selected fields, at most once in `everySeconds`. Events of alerts alone send nothing: `alertEvents` follows them.',
    authScopes: { signedIn: true },
    args: {
      name: t.arg.string({ required: true, description: 'Name of the context.' }),
      ...FOLLOW_ARGS,
    },
    subscribe: answeredElsewhere,
    resolve: (_event, followed, scope) => follow(scope, followed),
  }),
  alertEvents: t.field({
    type: AlertEventRef,
    nullable: true,
    description:
      'Events of alerts: first those that are firing, then each one when it begins, when it ends and when somebody acknowledges it. None is omitted: a stream that cannot send them all ends with an error that says to subscribe again.',
    authScopes: { signedIn: true },
    args: { context: t.arg.string({ required: true, description: 'Name of the context.' }) },
    subscribe: (): AsyncIterable<AlertEventView> => answeredElsewhere(),
    // `server/subscriptions/followed-messages.ts` decides which events these are.
    resolve: (event) => event,
  }),
}));
