import { afterAll, beforeAll, expect, it } from 'vitest';
import { inChange } from '../../../db/session/in-change.ts';
import { NodePools } from '../../../db/session/node-pools.ts';
import { createTestDatabase } from '../../support/database/database.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pools: NodePools;

beforeAll(async () => {
  database = await createTestDatabase();
  pools = new NodePools({ primaryUrl: database.url });
});

afterAll(async () => {
  await pools.close();
  await database.drop();
});

const change = (signal: AbortSignal, work: () => void) =>
  inChange(
    { pool: pools.at(database.url), name: 'test', requestId: null, deadline: null, signal },
    async (connection) => {
      await connection.query('create table changed ()');
      work();
    },
  );

const isChanged = async (): Promise<boolean> => {
  const { signal } = new AbortController();
  return inChange(
    { pool: pools.at(database.url), name: 'test', requestId: null, deadline: null, signal },
    async (connection) => {
      const { rows } = await connection.query("select to_regclass('changed') as found");
      return (rows[0] as { found: string | null }).found !== null;
    },
  );
};

it('a change that is given up after its last statement is not committed', async () => {
  const given = new AbortController();
  const giveUp = () => given.abort(new Error('given up'));
  await expect(change(given.signal, giveUp)).rejects.toThrow('given up');
  expect(await isChanged()).toBe(false);
  await change(new AbortController().signal, () => undefined);
  expect(await isChanged()).toBe(true);
});
