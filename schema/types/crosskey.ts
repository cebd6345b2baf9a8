import { findGroup } from '../../resolvers/counter-groups.ts';
import { builder } from '../builder.ts';
import { CounterGroupRef, CrosskeyRef } from '../refs.ts';

builder.objectType(CrosskeyRef, {
  description: 'The groups whose keys, joined by a backslash, are the keys of a cross-key group.',
  authScopes: ({ at }) => ({ granted: at.name }),
  fields: (t) => {
    const part = (place: number, description: string) =>
      t.field({
        type: CounterGroupRef,
        nullable: true,
        description: `${description}; null when it is not enabled.`,
        resolve: ({ at, crosskey }) => {
          const guid = crosskey?.guids[place];
          return guid ? findGroup(at, guid) : null;
        },
      });
    const guid = (place: number, description: string) =>
      t.field({
        type: 'Guid',
        description,
        resolve: ({ crosskey }) => {
          const found = crosskey?.guids[place];
          if (!found) throw new Error('a cross-key group has a parent and a first group');
          return found;
        },
      });
    return {
      parent: part(0, 'The group of the first part of each key'),
      first: part(1, 'The group of the second part'),
      second: part(2, 'The group of the third part, if there is one'),
      parentGuid: guid(0, 'GUID of the parent group.'),
      crosskeyGuid1: guid(1, 'GUID of the first cross-key group.'),
      crosskeyGuid2: t.field({
        type: 'Guid',
        nullable: true,
        description: 'GUID of the second cross-key group, if there is one.',
        resolve: ({ crosskey }) => crosskey?.guids[2] ?? null,
      }),
    };
  },
});
