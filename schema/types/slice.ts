import { findSlice, sliceSize } from '../../resolvers/slices.ts';
import { builder } from '../builder.ts';
import { decodeNumber, encodePath } from '../global-id.ts';
import { SliceRef, TimeIntervalRef } from '../refs.ts';
import { findContextAt, loadAlone } from './find-node.ts';

builder.node(SliceRef, {
  description: 'One interval of time of one engine instance: the unit in which data is stored.',
  authScopes: ({ at }) => ({ granted: at.name }),
  id: { resolve: ({ at, sliceId }) => encodePath(at, sliceId) },
  loadOne: loadAlone(SliceRef, async (id, scope) => {
    const found = await findContextAt(scope, id, 1);
    const sliceId = decodeNumber(found?.rest[0]);
    return found && sliceId !== null ? findSlice(scope, found.at, sliceId) : null;
  }),
  fields: (t) => ({
    sliceId: t.exposeInt('sliceId', { description: 'Its number: the `id` of the REST endpoint.' }),
    name: t.exposeString('name', { description: 'Its name, formed from its start and engine.' }),
    engine: t.exposeInt('engine', { description: 'The engine instance whose data it holds.' }),
    status: t.exposeString('status', {
      description: '`available`, `processing` while it is being filled, or `archived`.',
    }),
    timeInterval: t.field({
      type: TimeIntervalRef,
      description: 'The interval of time that it covers.',
      resolve: ({ timeInterval }) => timeInterval,
    }),
    diskSize: t.field({
      type: 'BigInt',
      nullable: true,
      description:
        'Bytes of its samples with their indexes, or of its archive. Measured on request.',
      resolve: (slice) => sliceSize(slice),
    }),
    path: t.exposeString('path', {
      nullable: true,
      description: "Path of its data within the server's data folder, or of its archive.",
    }),
    available: t.exposeBoolean('available', { description: 'Whether it can be queried.' }),
    tags: t.stringList({
      description: '`primary` or `archive`; then the tags that users have set.',
      resolve: ({ tags }) => [...tags],
    }),
  }),
});
