import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenConnection, openConnection } from '../../../db/connection/connection.ts';
import { insertContext } from '../../../db/sql/contexts.ts';
import { type ContextProbe, selectProbes, upsertProbe } from '../../../db/sql/declaration.ts';
import {
  type ContextNode,
  type ContextPool,
  selectContextPools,
  selectNodes,
  upsertNode,
  upsertPool,
} from '../../../db/sql/nodes-and-pools.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

let database: TestDatabase;
let connection: OpenConnection;
/** Two contexts with parts of the same names. */
let own: number;
let other: number;

beforeAll(async () => {
  database = await createTestDatabase();
  connection = await openConnection(database.url, 'test');
  const settings = { sliceSeconds: 3600, retentionDays: null };
  own = await insertContext(connection, { name: 'own', ...settings });
  other = await insertContext(connection, { name: 'other', ...settings });
});

afterAll(async () => {
  await connection.end();
  await database.drop();
});

/** The queries promise no order. */
const byName = <Part extends { readonly name: string }>(parts: readonly Part[]): Part[] =>
  [...parts].sort((a, b) => (a.name < b.name ? -1 : 1));

describe('the nodes of a context', () => {
  const paris: ContextNode = {
    name: 'paris',
    role: 'replica',
    url: 'postgres://paris/db',
    urlEnv: null,
    share: true,
  };
  const rome: ContextNode = { name: 'rome', role: 'dr', url: null, urlEnv: 'ROME', share: false };

  it('come back as they were stored, without those of another context', async () => {
    await upsertNode(connection, own, paris);
    await upsertNode(connection, own, rome);
    await upsertNode(connection, other, { ...rome, urlEnv: 'OTHER_ROME' });
    expect(byName(await selectNodes(connection, own))).toEqual([paris, rome]);
    expect(await selectNodes(connection, other)).toEqual([{ ...rome, urlEnv: 'OTHER_ROME' }]);
  });

  it('are changed by name, in their context only', async () => {
    const changed: ContextNode = { ...rome, role: 'replica', url: 'postgres://rome', urlEnv: null };
    await upsertNode(connection, own, paris);
    await upsertNode(connection, own, rome);
    await upsertNode(connection, other, rome);
    await upsertNode(connection, own, { ...changed, share: true });
    expect(byName(await selectNodes(connection, own))).toEqual([
      paris,
      { ...changed, share: true },
    ]);
    expect(await selectNodes(connection, other)).toEqual([rome]);
  });
});

describe('the pools of a context', () => {
  const full: ContextPool = {
    name: 'cold',
    status: 'offline',
    totalSize: 8_000_000_000_000,
    availSize: 0,
    fileSystem: 'xfs',
    path: '/mnt/cold',
    offlineArchive: true,
    offlineArchiveMounted: true,
    additionalInfo: 'in the cellar',
  };
  const bare: ContextPool = {
    name: 'warm',
    status: 'online',
    totalSize: null,
    availSize: null,
    fileSystem: null,
    path: null,
    offlineArchive: false,
    offlineArchiveMounted: false,
    additionalInfo: null,
  };

  it('come back as they were stored, without those of another context', async () => {
    await upsertPool(connection, own, full);
    await upsertPool(connection, own, bare);
    await upsertPool(connection, other, { ...bare, name: 'cold' });
    expect(byName(await selectContextPools(connection, own))).toEqual([full, bare]);
    expect(await selectContextPools(connection, other)).toEqual([{ ...bare, name: 'cold' }]);
  });

  it('are changed by name, in their context only', async () => {
    await upsertPool(connection, own, full);
    await upsertPool(connection, own, bare);
    await upsertPool(connection, other, full);
    await upsertPool(connection, own, { ...bare, name: 'cold' });
    await upsertPool(connection, own, { ...full, name: 'warm' });
    expect(byName(await selectContextPools(connection, own))).toEqual([
      { ...bare, name: 'cold' },
      { ...full, name: 'warm' },
    ]);
    expect(await selectContextPools(connection, other)).toEqual([full]);
  });
});

describe('the probes of a context', () => {
  const north: ContextProbe = { name: 'north', description: 'the northern link' };
  const south: ContextProbe = { name: 'south', description: null };

  const ids = async () =>
    (await connection.query('select context_id, name, probe_id from probes order by 1, 2')).rows;

  it('come back as they were stored, without those of another context', async () => {
    await upsertProbe(connection, own, north);
    await upsertProbe(connection, own, south);
    await upsertProbe(connection, other, south);
    expect(byName(await selectProbes(connection, own))).toEqual([north, south]);
    expect(await selectProbes(connection, other)).toEqual([south]);
  });

  it('keep their ids when their descriptions change', async () => {
    await upsertProbe(connection, own, north);
    await upsertProbe(connection, own, south);
    await upsertProbe(connection, other, south);
    const before = await ids();
    await upsertProbe(connection, own, { name: 'north', description: null });
    await upsertProbe(connection, own, { name: 'south', description: 'new' });
    expect(byName(await selectProbes(connection, own))).toEqual([
      { name: 'north', description: null },
      { name: 'south', description: 'new' },
    ]);
    expect(await selectProbes(connection, other)).toEqual([south]);
    expect(await ids()).toEqual(before);
  });
});
