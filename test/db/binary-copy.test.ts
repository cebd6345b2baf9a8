import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyRows, INT4, INT8, writeInt4, writeInt8 } from '../../db/binary-copy.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

it('copies numbers of four and eight bytes, of either sign', async () => {
  const rows = [
    { four: 0, eight: 0 },
    { four: 2 ** 31 - 1, eight: Number.MAX_SAFE_INTEGER },
    { four: -(2 ** 31), eight: -1 },
    { four: -1, eight: 2 ** 32 },
  ];
  const encoded = rows.map(({ four, eight }) => {
    const row = Buffer.alloc(2 + 4 + INT4 + 4 + INT8);
    const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
    view.setInt16(0, 2);
    writeInt8(view, writeInt4(view, 2, four), eight);
    return row;
  });
  const stored = await withClient(database.url, async (client) => {
    await client.query('create table numbers (four integer, eight bigint)');
    await copyRows(client, 'numbers (four, eight)', encoded);
    return (await client.query('select four, eight::float8 as eight from numbers')).rows;
  });
  expect(stored).toEqual(rows);
});
