import { parseGuid } from '../../domain/text/guid.ts';
import { listAccounts, sessionsOf, tokensOf } from '../../resolvers/accounts.ts';
import { builder } from '../builder.ts';
import { RoleEnum } from '../enums.ts';
import { GrantRef, SessionRef, TokenRef, UserRef } from '../refs.ts';

builder.objectType(UserRef, {
  description: 'A user, or a group of an identity provider, for administrators.',
  authScopes: { admin: true },
  fields: (t) => ({
    name: t.string({
      description: 'The name to sign in with, or that of the group.',
      resolve: ({ row }) => row.name,
    }),
    shownName: t.string({
      nullable: true,
      description: 'What an identity provider calls the user.',
      resolve: ({ row }) => row.shownName,
    }),
    isGroup: t.boolean({
      description:
        'Whether it is a group: its grants are those of all whom the provider counts among it.',
      resolve: ({ row }) => row.isGroup,
    }),
    isAdmin: t.boolean({
      description: 'Whether the user, or each user of the group, is an administrator.',
      resolve: ({ row }) => row.isAdmin,
    }),
    grants: t.field({
      type: [GrantRef],
      description: 'The contexts granted to it, by name.',
      resolve: ({ row }) => row.grants,
    }),
    tokens: t.field({
      type: [TokenRef],
      description: 'Its tokens, oldest first, those that have expired lately included.',
      resolve: (user) => tokensOf(user),
    }),
    sessions: t.field({
      type: [SessionRef],
      description: 'Its sessions, newest first.',
      resolve: (user) => sessionsOf(user),
    }),
    sessionCount: t.int({
      description: 'The number of its sessions.',
      resolve: async (user) => (await sessionsOf(user)).length,
    }),
  }),
});

builder.objectType(GrantRef, {
  description: 'The right to read a context, or a part of it.',
  authScopes: { admin: true },
  fields: (t) => ({
    context: t.exposeString('context', { description: 'Name of the context.' }),
    role: t.field({
      type: RoleEnum,
      description: 'What it allows.',
      resolve: ({ role }) => role,
    }),
    onlyNetworks: t.stringList({
      nullable: true,
      description: 'It is limited to keys in these networks; null: it is not.',
      resolve: ({ onlyNetworks }) => onlyNetworks,
    }),
    onlyProbes: t.stringList({
      nullable: true,
      description: 'It is limited to readings of these probes; null: it is not.',
      resolve: ({ onlyProbes }) => onlyProbes,
    }),
    onlyGroups: t.field({
      type: ['Guid'],
      nullable: true,
      description: 'It is limited to these counter groups; null: it is not.',
      resolve: ({ onlyGroups }) =>
        onlyGroups?.map((guid) => parseGuid(guid)).filter((guid) => guid !== null) ?? null,
    }),
  }),
});

builder.objectType(TokenRef, {
  description: 'A token of a user. Only its digest is stored, so it is not shown.',
  authScopes: { admin: true },
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is for.' }),
    created: t.expose('created', { type: 'EpochSeconds', description: 'When it was made.' }),
    expires: t.expose('expires', {
      type: 'EpochSeconds',
      nullable: true,
      description: 'When it expires, or did; null: never.',
    }),
    lastUsed: t.expose('lastUsed', {
      type: 'EpochSeconds',
      nullable: true,
      description: 'When it was last used, to the minute or so; null: never.',
    }),
  }),
});

builder.objectType(SessionRef, {
  description: 'A session of the pages.',
  authScopes: { admin: true },
  fields: (t) => ({
    began: t.expose('began', { type: 'EpochSeconds', description: 'When it began.' }),
    ends: t.expose('ends', { type: 'EpochSeconds', description: 'When it ends at the latest.' }),
    token: t.exposeString('token', {
      nullable: true,
      description: 'The name of the token that began it; null: an identity provider did.',
    }),
    issuer: t.exposeString('issuer', {
      nullable: true,
      description: 'The identity provider that began it; null: a token did.',
    }),
  }),
});

builder.queryFields((t) => ({
  users: t.field({
    type: [UserRef],
    nullable: true,
    description:
      'All users, and groups of an identity provider, by name. Only for administrators (`Viewer.isAdmin`).',
    authScopes: { signedIn: true },
    args: { names: t.arg.stringList({ description: 'Only those with these names.' }) },
    resolve: (_root, { names }, scope) => listAccounts(scope, names ?? null),
  }),
}));
