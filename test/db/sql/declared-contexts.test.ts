import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenConnection, openConnection } from '../../../db/connection/connection.ts';
import { insertContext, updateContext } from '../../../db/sql/contexts.ts';
import { selectHasSlices } from '../../../db/sql/declaration.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

let database: TestDatabase;
let connection: OpenConnection;

beforeAll(async () => {
  database = await createTestDatabase();
  connection = await openConnection(database.url, 'test');
});

afterAll(async () => {
  await connection.end();
  await database.drop();
});

const create = (name: string, retentionDays: number | null = null) =>
  insertContext(connection, { name, sliceSeconds: 3600, retentionDays });

const contextRows = async (contextIds: readonly number[]) =>
  (
    await connection.query(
      `select context_id, name, slice_seconds, retention_days from contexts
       where context_id = any($1::int[]) order by context_id`,
      [contextIds],
    )
  ).rows;

describe('inserting a context', () => {
  it('stores it and returns its id', async () => {
    const kept = await create('kept');
    const limited = await create('limited', 30);
    expect(await contextRows([kept, limited])).toEqual([
      { context_id: kept, name: 'kept', slice_seconds: 3600, retention_days: null },
      { context_id: limited, name: 'limited', slice_seconds: 3600, retention_days: 30 },
    ]);
  });

  it('fails for a name that another context has', async () => {
    await create('taken');
    await expect(create('taken')).rejects.toThrow('contexts_name_key');
  });
});

describe('updating a context', () => {
  it('changes its slices and its retention, and no other context', async () => {
    const changed = await create('changed', 7);
    const other = await create('other', 7);
    const daily = { contextId: changed, sliceSeconds: 86_400 };
    await updateContext(connection, { ...daily, retentionDays: 90 });
    expect(await contextRows([changed, other])).toEqual([
      { context_id: changed, name: 'changed', slice_seconds: 86_400, retention_days: 90 },
      { context_id: other, name: 'other', slice_seconds: 3600, retention_days: 7 },
    ]);
    await updateContext(connection, { ...daily, retentionDays: null });
    expect(await contextRows([changed])).toMatchObject([{ retention_days: null }]);
  });
});

describe('asking whether a context has slices', () => {
  const addSlice = async (contextId: number, archived: boolean) => {
    await connection.query('insert into engines (context_id, instance) values ($1, 0)', [
      contextId,
    ]);
    await connection.query(
      `insert into slices (context_id, engine, starts_at, ends_at, archived)
       values ($1, 0, 0, 3600, $2)`,
      [contextId, archived],
    );
  };

  it('finds an available one, and an archived one', async () => {
    const available = await create('has an available slice');
    const archived = await create('has an archived slice');
    await addSlice(available, false);
    await addSlice(archived, true);
    expect(await selectHasSlices(connection, available)).toBe(true);
    expect(await selectHasSlices(connection, archived)).toBe(true);
  });

  it('finds none if only other contexts have slices', async () => {
    await addSlice(await create('has slices'), false);
    expect(await selectHasSlices(connection, await create('has no slices'))).toBe(false);
  });
});
