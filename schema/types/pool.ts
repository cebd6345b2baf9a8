import { listPools } from '../../resolvers/pools.ts';
import { builder } from '../builder.ts';
import { encodePath } from '../global-id.ts';
import { PoolRef } from '../refs.ts';
import { findContextAt, loadAlone } from './find-node.ts';

builder.node(PoolRef, {
  description: 'A place where slices are stored.',
  authScopes: ({ at }) => ({ granted: at.name }),
  id: { resolve: ({ at, name }) => encodePath(at, name) },
  loadOne: loadAlone(PoolRef, async (id, scope) => {
    const found = await findContextAt(scope, id, 1);
    const pools = found ? await listPools(found.at) : [];
    return pools.find(({ name }) => name === found?.rest[0]) ?? null;
  }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    status: t.exposeString('status', { description: '`online` or `offline`.' }),
    totalSize: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'Capacity in bytes.',
      resolve: ({ totalSize }) => totalSize,
    }),
    availSize: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'Free bytes.',
      resolve: ({ availSize }) => availSize,
    }),
    fileSystem: t.exposeString('fileSystem', {
      nullable: true,
      description: 'Type of its file system: ext4, xfs …',
    }),
    mounted: t.exposeString('mounted', { nullable: true, description: 'Where it is mounted.' }),
    offlineArchive: t.exposeBoolean('offlineArchive', {
      description: 'Whether it is an archive that is kept offline.',
    }),
    offlineArchiveMounted: t.exposeBoolean('offlineArchiveMounted', {
      description: 'Whether that archive is mounted at the moment.',
    }),
    additionalInfo: t.exposeString('additionalInfo', {
      nullable: true,
      description: 'Additional information about it.',
    }),
  }),
});
