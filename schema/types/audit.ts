import { detailsOf, listAudit } from '../../resolvers/accounts.ts';
import { builder } from '../builder.ts';
import { AuditDetailRef, AuditEntryRef } from '../refs.ts';

builder.objectType(AuditEntryRef, {
  description: 'A row of the audit: a change, or sign-ins that failed.',
  authScopes: { admin: true },
  fields: (t) => ({
    at: t.field({
      type: 'EpochSeconds',
      description: 'When.',
      resolve: ({ at }) => Math.floor(at.getTime() / 1000),
    }),
    user: t.exposeString('user', {
      nullable: true,
      description:
        'Who: the user of a request, of the operating system for a command, or `(server)`; null: several users whose sign-ins failed.',
    }),
    from: t.exposeString('from', {
      nullable: true,
      description: 'The address or host that it was done from; null: several.',
    }),
    action: t.exposeString('action', { description: 'What was done, such as `token made`.' }),
    object: t.exposeString('object', { description: 'The name of what was changed.' }),
    details: t.field({
      type: [AuditDetailRef],
      description: 'What else is known, by name.',
      resolve: (entry) => detailsOf(entry),
    }),
  }),
});

builder.objectType(AuditDetailRef, {
  description: 'A value that says more about a row of the audit.',
  authScopes: { admin: true },
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the value is.' }),
    value: t.exposeString('value', { description: 'The value; as JSON if it is no text.' }),
  }),
});

builder.queryFields((t) => ({
  audit: t.field({
    type: [AuditEntryRef],
    nullable: true,
    description: 'The newest rows of the audit, newest first. Only for administrators.',
    authScopes: { signedIn: true },
    args: {
      since: t.arg({ type: 'EpochSeconds', description: 'Only rows from this time on.' }),
      user: t.arg.string({ description: 'Only what this user did.' }),
      maxItems: t.arg.int({
        required: true,
        defaultValue: 100,
        description: 'How many rows to list, at most 1,000.',
      }),
    },
    resolve: (_root, { since, user, maxItems }, scope) =>
      listAudit(scope, { since: since ?? null, user: user ?? null, maxItems }),
  }),
}));
