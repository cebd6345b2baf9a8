import {
  attributesOf,
  encodeCursor,
  findRawKey,
  labelOf,
  readableOf,
} from '../../resolvers/keys.ts';
import { drillDownKey } from '../../resolvers/toppers/topper-comparisons.ts';
import { builder } from '../builder.ts';
import { encodePath } from '../global-id.ts';
import { decodeKeyDrilldown, KEY_DRILLDOWN_ARGS } from '../inputs/drilldown-args.ts';
import {
  CounterGroupRef,
  KeyAttributeRef,
  KeyConnectionRef,
  KeyEdgeRef,
  KeyRef,
  TopperRef,
} from '../refs.ts';
import { findGroupAt, loadAlone } from './find-node.ts';
import { pageInfoOf } from './page-info.ts';

builder.node(KeyRef, {
  description: 'One of the things that a counter group counts: a host, a port, a pair …',
  authScopes: ({ group }) => ({ granted: group.at.name }),
  id: { resolve: ({ group, row }) => encodePath(group.at, group.guid.slice(1, -1), row.key) },
  loadOne: loadAlone(KeyRef, async (id, scope) => {
    const found = await findGroupAt(scope, id, 2);
    return found && findRawKey(found.group, found.rest[0] ?? '');
  }),
  fields: (t) => ({
    key: t.string({ description: 'The raw key: `C0.A8.01.0A`.', resolve: ({ row }) => row.key }),
    readable: t.string({
      description: 'The key as people read it: `192.168.1.10`.',
      resolve: (key) => readableOf(key),
    }),
    label: t.string({
      description: 'Its name, if it has one; else its readable form.',
      resolve: (key) => labelOf(key),
    }),
    description: t.string({
      nullable: true,
      description: 'What is known about it.',
      resolve: ({ row }) => row.description,
    }),
    attributes: t.field({
      type: [KeyAttributeRef],
      nullable: true,
      description: 'Its other attributes, by name.',
      resolve: (key) => attributesOf(key),
    }),
    counterGroup: t.field({
      type: CounterGroupRef,
      description: 'The group it belongs to.',
      resolve: ({ group }) => group,
    }),
  }),
});

builder.objectField(KeyRef, 'drilldown', (t) =>
  t.field({
    type: TopperRef,
    nullable: true,
    description: 'The top keys of a cross-key group under this key, whatever its own value.',
    args: KEY_DRILLDOWN_ARGS,
    resolve: (key, args, scope) => drillDownKey(scope, key, decodeKeyDrilldown(args, scope)),
  }),
);

builder.objectType(KeyAttributeRef, {
  description: 'A name and a value that describe a key.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the value describes.' }),
    value: t.exposeString('value', { description: 'The value as text.' }),
  }),
});

builder.objectType(KeyConnectionRef, {
  description: 'A page of keys.',
  authScopes: ({ group }) => ({ granted: group.at.name }),
  fields: (t) => ({
    edges: t.field({
      type: [KeyEdgeRef],
      description: 'The keys of the page.',
      resolve: ({ keys }) => [...keys],
    }),
    pageInfo: t.field({
      type: builder.pageInfoRef(),
      description: 'The position of the page in the list.',
      resolve: ({ keys, hasNextPage, hasPreviousPage }) =>
        pageInfoOf({ items: keys, hasNextPage, hasPreviousPage }, encodeCursor),
    }),
    totalCount: t.int({
      description: 'The number of keys on all pages.',
      resolve: ({ totalCount }) => totalCount(),
    }),
  }),
});

builder.objectType(KeyEdgeRef, {
  description: 'A key in its page.',
  fields: (t) => ({
    cursor: t.string({
      description: 'For `after`: the next page begins after it.',
      resolve: (key) => encodeCursor(key),
    }),
    node: t.field({ type: KeyRef, description: 'The key.', resolve: (key) => key }),
  }),
});
