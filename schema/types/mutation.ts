import type { GraphQLResolveInfo } from 'graphql';
import { updateKeys } from '../../resolvers/changes/update-keys.ts';
import { updateSlice } from '../../resolvers/changes/update-slice.ts';
import { builder } from '../builder.ts';
import { KeyRef, SliceRef } from '../refs.ts';
import { findSliceToChange } from './find-node.ts';

builder.mutationType({
  description:
    'Changes to what is said about keys and slices. They are sent by POST, need the role `editor` in the context (`Viewer.editableContexts`), and go to the primary node; those of one document are made one after the other.',
});

const KeyAttributeInput = builder.inputType('KeyAttributeInput', {
  description: 'A name and a value known of a key.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What the value is of; each name once.' }),
    value: t.string({ required: true, description: 'The value; one without text is left out.' }),
  }),
});

const KeyUpdateInput = builder.inputType('KeyUpdateInput', {
  description:
    'What is said about a key. What is left out stays; null, or an empty text, takes it away.',
  fields: (t) => ({
    key: t.string({
      required: true,
      description: 'The key, raw or readable. It needs no readings.',
    }),
    label: t.string({ description: 'Its name, at most 1,000 characters.' }),
    description: t.string({ description: 'What is known of it, at most 10,000 characters.' }),
    attributes: t.field({
      type: [KeyAttributeInput],
      description: 'What else is known of it: all of it, as they replace those that there are.',
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
      'Sets labels, descriptions and attributes, of all these keys or, where one is wrong, of none, and gives the keys in their order. null when there is no such context or group, or none that you may see.',
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
      'Sets the tags of a slice besides `primary` and `archive`, which say where it is. null when there is no such slice, or none that you may see.',
    authScopes: { signedIn: true },
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the slice, as answered.' }),
      tags: t.arg.stringList({
        required: true,
        description:
          'All tags that it is to have, at most 20 of 100 characters: they replace those that there are.',
      }),
    },
    resolve(_root, { id, tags }, scope, info) {
      const slice = findSliceToChange(scope, id);
      return slice && updateSlice(scope, nameOf(info), { ...slice, tags });
    },
  }),
}));
