import { malformed } from '../../domain/errors.ts';
import { administration } from '../../resolvers/changes/change-accounts.ts';
import { builder } from '../builder.ts';
import { changingField } from '../changing-field.ts';
import { RoleEnum } from '../enums.ts';
import { NewTokenRef, UserRef } from '../refs.ts';

builder.objectType(NewTokenRef, {
  description: 'A token that was just made.',
  authScopes: { admin: true },
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is for.' }),
    token: t.exposeString('token', {
      description: 'The token itself, which is not shown again: only its digest is stored.',
    }),
    expires: t.field({
      type: 'EpochSeconds',
      nullable: true,
      description: 'When it expires; null: never.',
      resolve: ({ expires }) => expires && Math.floor(expires.getTime() / 1000),
    }),
  }),
});

const FOR_ADMINS = 'Only for administrators.';

/** Changes of users and groups. */
builder.mutationFields((t) => {
  const name = t.arg.string({ required: true, description: 'Name of the user or group.' });
  const isGroup = t.arg.boolean({
    required: true,
    defaultValue: false,
    description: 'Whether it is a group of an identity provider.',
  });
  return {
    addUser: t.field({
      type: UserRef,
      nullable: true,
      description: `Adds a user without a token (see \`makeToken\`), or a group of an identity provider. ${FOR_ADMINS}`,
      authScopes: { signedIn: true },
      args: {
        name: t.arg.string({ required: true, description: 'The new name.' }),
        isGroup,
        isAdmin: t.arg.boolean({
          required: true,
          defaultValue: false,
          description: 'Whether the user, or each user of the group, is an administrator.',
        }),
      },
      resolve: (_root, given, scope, info) =>
        administration.addUser(changingField(scope, info), given),
    }),
    removeUser: t.boolean({
      nullable: true,
      description: `Removes a user or a group, with tokens, sessions and grants. Returns true. ${FOR_ADMINS}`,
      authScopes: { signedIn: true },
      args: { name, isGroup },
      resolve: (_root, given, scope, info) =>
        administration.removeUser(changingField(scope, info), given),
    }),
    setAdmin: t.field({
      type: UserRef,
      nullable: true,
      description: `Makes a user or a group administrators, or takes that back. ${FOR_ADMINS}`,
      authScopes: { signedIn: true },
      args: {
        name,
        isGroup,
        isAdmin: t.arg.boolean({
          required: true,
          description: 'Whether the user, or each user of the group, is to be an administrator.',
        }),
      },
      resolve: (_root, given, scope, info) =>
        administration.setAdmin(changingField(scope, info), given),
    }),
  };
});

/** Changes of grants. */
builder.mutationFields((t) => {
  const user = t.arg.string({ required: true, description: 'Name of the user or group.' });
  const isGroup = t.arg.boolean({
    required: true,
    defaultValue: false,
    description: 'Whether it is a group of an identity provider.',
  });
  const context = t.arg.string({ required: true, description: 'Name of the context.' });
  return {
    saveGrant: t.field({
      type: UserRef,
      nullable: true,
      description: `Grants a context to a user or a group, in place of an earlier grant of it. ${FOR_ADMINS}`,
      authScopes: { signedIn: true },
      args: {
        user,
        isGroup,
        context,
        role: t.arg({
          type: RoleEnum,
          required: true,
          defaultValue: 'reader',
          description: 'What it allows.',
        }),
        onlyNetworks: t.arg.stringList({
          description: 'Only keys in these networks, in CIDR form; null: all.',
        }),
        onlyProbes: t.arg.stringList({
          description: 'Only readings of these probes; null: all.',
        }),
        onlyGroups: t.arg({
          type: ['Guid'],
          description: 'Only these counter groups; null: all.',
        }),
      },
      resolve(_root, { user: name, onlyNetworks, onlyProbes, onlyGroups, ...given }, scope, info) {
        for (const [argument, list] of Object.entries({ onlyNetworks, onlyProbes, onlyGroups })) {
          // A program whose list happens to be empty does not mean everything.
          if (list?.length === 0)
            throw malformed(argument, 'null, which means all, or a list', list);
        }
        const limit = {
          networks: onlyNetworks ?? [],
          probes: onlyProbes ?? [],
          groups: onlyGroups ?? [],
        };
        return administration.saveGrant(changingField(scope, info), { name, ...given, limit });
      },
    }),
    revokeGrant: t.field({
      type: UserRef,
      nullable: true,
      description: `Revokes the access of a user or a group to a context. ${FOR_ADMINS}`,
      authScopes: { signedIn: true },
      args: { user, isGroup, context },
      resolve: (_root, { user: name, ...given }, scope, info) =>
        administration.revokeGrant(changingField(scope, info), { name, ...given }),
    }),
  };
});

/** Changes of tokens and sessions. */
builder.mutationFields((t) => {
  const user = t.arg.string({ required: true, description: 'Name of the user.' });
  return {
    makeToken: t.field({
      type: NewTokenRef,
      nullable: true,
      description: `Gives a user one more token, and returns it once. ${FOR_ADMINS}`,
      authScopes: { signedIn: true },
      args: {
        user,
        name: t.arg.string({
          required: true,
          description: 'What it is for, at most 100 characters; no other token of the user has it.',
        }),
        expires: t.arg({ type: 'EpochSeconds', description: 'When it expires; null: never.' }),
      },
      resolve: (_root, { expires, ...given }, scope, info) =>
        administration.makeToken(changingField(scope, info), {
          ...given,
          expires: expires ?? null,
        }),
    }),
    revokeToken: t.field({
      type: UserRef,
      nullable: true,
      description: `Takes a token from a user; the sessions that it began end. ${FOR_ADMINS}`,
      authScopes: { signedIn: true },
      args: {
        user,
        name: t.arg.string({ required: true, description: 'Name of the token.' }),
      },
      resolve: (_root, given, scope, info) =>
        administration.revokeToken(changingField(scope, info), given),
    }),
    endSessions: t.int({
      nullable: true,
      description: `Ends all sessions of a user, and returns their number. ${FOR_ADMINS}`,
      authScopes: { signedIn: true },
      args: { user },
      resolve: (_root, { user: name }, scope, info) =>
        administration.endSessions(changingField(scope, info), { name, isGroup: false }),
    }),
  };
});
