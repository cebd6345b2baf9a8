import type { GraphQLResolveInfo } from 'graphql';
import { updateKeys } from '../../resolvers/changes/update-keys.ts';
import { updateSlice } from '../../resolvers/changes/update-slice.ts';
import { builder } from '../builder.ts';
import { KeyRef, SliceRef } from '../refs.ts';
import { findSliceToChange } from './find-node.ts';

builder.mutationType({
  description:
    'Changes. They must be sent by POST and run on the primary node; those of one document run one after the other. Texts of keys, tags of slices and alerts need the role `editor` in the context (`Viewer.editableContexts`), users with their tokens and grants an administrator (`Viewer.isAdmin`).',
});

const KeyAttributeInput = builder.inputType('KeyAttributeInput', {
  description: 'A name and a value that describe a key.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What the value describes; each name once.' }),
    value: t.string({
      required: true,
      description: 'The value; an attribute with an empty value is left out.',
    }),
  }),
});

const KeyUpdateInput = builder.inputType('KeyUpdateInput', {
  description:
    'New texts of a key. Fields that are left out stay as they are; null or an empty text removes the text.',
  fields: (t) => ({
    key: t.string({
      required: true,
      description: 'The key, raw or readable. It needs no readings.',
    }),
    label: t.string({ description: 'Its name, at most 1,000 characters.' }),
    description: t.string({ description: 'What is known about it, at most 10,000 characters.' }),
    attributes: t.field({
      type: [KeyAttributeInput],
      description: 'All its attributes: they replace the existing ones.',
    }),
  }),
});

/** The name of the field in the answer, which is unique in an operation. */
const nameOf = ({ path }: GraphQLResolveInfo): string => String(path.key);

builder.mutationFields((t) => ({
  updateKeys: t.field({
    type: [KeyRef],
    nullable: true,
    description:
      'Sets labels, descriptions and attributes of all these keys, or of none if one is invalid. Returns the keys in the given order; null if there is no such context or group, or none that you may see.',
    authScopes: { signedIn: true },
    args: {
      context: t.arg.string({ required: true, description: 'Name of the context.' }),
      counterGroup: t.arg({ type: 'Guid', required: true, description: 'GUID of the group.' }),
      keys: t.arg({
        type: [KeyUpdateInput],
        required: true,
        description: 'At most 1,000 keys, none of them twice.',
      }),
    },
    resolve: (_root, update, scope, info) => updateKeys(scope, nameOf(info), update),
  }),
  updateSlice: t.field({
    type: SliceRef,
    nullable: true,
    description:
      'Sets the tags of a slice other than `primary` and `archive`, which say where it is stored. Returns null if there is no such slice, or none that you may see.',
    authScopes: { signedIn: true },
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the slice, as returned.' }),
      tags: t.arg.stringList({
        required: true,
        description:
          'All its tags, at most 20 of 100 characters each: they replace the existing ones.',
      }),
    },
    resolve(_root, { id, tags }, scope, info) {
      const slice = findSliceToChange(scope, id);
      return slice && updateSlice(scope, nameOf(info), { ...slice, tags });
    },
  }),
}));
