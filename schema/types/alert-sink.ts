import { targetOf, whatItGets } from '../../resolvers/alerts/sinks.ts';
import { builder } from '../builder.ts';
import { AlertSinkKindEnum } from '../enums.ts';
import { AlertSinkRef } from '../refs.ts';

builder.objectType(AlertSinkRef, {
  description: 'A receiver of the events of a context. Sinks are declared by `apply`.',
  authScopes: ({ at }) => ({ granted: at.name }),
  fields: (t) => ({
    name: t.string({ description: 'Its name.', resolve: ({ row }) => row.name }),
    kind: t.field({
      type: AlertSinkKindEnum,
      description: 'What kind of receiver it is.',
      resolve: ({ row }) => row.kind,
    }),
    target: t.string({
      description:
        'Where notifications go: the name of the environment variable that holds the address, or the beginning of a declared address, `https://host`.',
      resolve: (sink) => targetOf(sink),
    }),
    gets: t.string({
      description: 'What it is sent, in words; not while a rule is silenced.',
      resolve: (sink) => whatItGets(sink),
    }),
    signed: t.boolean({
      description: 'Whether what it is sent is signed.',
      resolve: ({ row }) => row.isSigned,
    }),
    lastDelivered: t.field({
      type: 'EpochSeconds',
      nullable: true,
      description: 'When it last took something; null: not yet, or not since version 2.4.0.',
      resolve: ({ row }) => row.deliveredAt,
    }),
    lastError: t.string({
      nullable: true,
      description: 'Why the last delivery failed, if none has succeeded since; null: none failed.',
      resolve: ({ row }) => row.failure,
    }),
  }),
});
