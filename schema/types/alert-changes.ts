import { malformed } from '../../domain/errors.ts';
import {
  acknowledgeAlertEvent,
  removeAlert,
  saveAlert,
  silenceAlert,
} from '../../resolvers/changes/change-alerts.ts';
import { builder } from '../builder.ts';
import { changingField } from '../changing-field.ts';
import { AlertInput, decodeAlert } from '../inputs/alert-input.ts';
import { AlertEventRef, AlertRef } from '../refs.ts';
import { findEventToChange, revisionIn } from './find-node.ts';

const OF_ALL = 'Only for editors of all of the context.';

/** Changes of rules. */
builder.mutationFields((t) => {
  const context = t.arg.string({ required: true, description: 'Name of the context.' });
  const name = t.arg.string({ required: true, description: 'Name of the rule.' });
  return {
    saveAlert: t.field({
      type: AlertRef,
      nullable: true,
      description: `Makes a rule, or replaces one: a rule that differs is a new declaration, with which firing events end. Returns it; null if there is no such context, or its group is disabled. ${OF_ALL}`,
      authScopes: { signedIn: true },
      args: {
        context,
        alert: t.arg({ type: AlertInput, required: true, description: 'The rule.' }),
        ifId: t.arg.id({
          description:
            'The `id` of the replaced rule as you have read it: if another editor has changed it since, nothing is saved.',
        }),
      },
      resolve(_root, { context: of, alert, ifId }, scope, info) {
        const replaces = alert.replaces ?? null;
        if (ifId != null && replaces === null) {
          throw malformed('ifId', 'left out without `alert.replaces`', ifId);
        }
        // An id of anything else is that of no revision.
        const revision = ifId == null ? null : (revisionIn(of, ifId) ?? '');
        const wanted = { ...decodeAlert(alert), replaces, revision };
        return saveAlert(changingField(scope, info), of, wanted);
      },
    }),
    removeAlert: t.boolean({
      nullable: true,
      description: `Removes a rule, which ends its firing events; what was declared comes back with the next \`apply\` of its file. Returns true; null if there is no such context. ${OF_ALL}`,
      authScopes: { signedIn: true },
      args: { context, name },
      resolve: (_root, { context: of, name: rule }, scope, info) =>
        removeAlert(changingField(scope, info), of, rule),
    }),
    silenceAlert: t.field({
      type: AlertRef,
      nullable: true,
      description: `Keeps sinks from being told of events of a rule that begin; events go on, and subscribers follow them. If one is still firing when the silence is over, sinks are told then; if it has ended, they are told neither of its beginning nor of its end. The end of an event whose beginning they were told is still told. ${OF_ALL}`,
      authScopes: { signedIn: true },
      args: {
        context,
        name,
        until: t.arg({
          type: 'EpochSeconds',
          description: 'When the silence is over, at most 366 days ahead; null lifts it.',
        }),
        reason: t.arg.string({ description: 'Why, at most 1,000 characters.' }),
      },
      resolve: (_root, { until, reason, ...rule }, scope, info) =>
        silenceAlert(changingField(scope, info), {
          ...rule,
          until: until ?? null,
          reason: reason ?? null,
        }),
    }),
    acknowledgeEvent: t.field({
      type: AlertEventRef,
      nullable: true,
      description:
        'Says that you look after an event, in place of who did before. Nothing else changes: it goes on firing, and sinks are told of its end. Returns it; null if there is no such event, or none that you may see. For editors.',
      authScopes: { signedIn: true },
      args: {
        id: t.arg.id({ required: true, description: 'The `id` of the event, as returned.' }),
        note: t.arg.string({
          description: 'What you know about it, at most 1,000 characters; null: nothing.',
        }),
      },
      resolve(_root, { id, note }, scope, info) {
        const event = findEventToChange(scope, id);
        return (
          event &&
          acknowledgeAlertEvent(changingField(scope, info), { ...event, note: note ?? null })
        );
      },
    }),
  };
});
