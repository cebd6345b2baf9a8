import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  deleteExpiredTokens,
  deleteToken,
  selectTokens,
  updateLastUses,
  updateToken,
  upsertToken,
} from '../../../db/sql/tokens.ts';
import { insertUser } from '../../../db/sql/users.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

let db: QueryDatabase;
let ada: number;
let bob: number;

const kept = (token: string) => ({
  digest: createHash('sha256').update(token).digest(),
  salt: null,
  scryptCost: null,
});

beforeAll(async () => {
  db = await openQueryDatabase();
});

beforeEach(async () => {
  await db.sql('delete from users');
  ada = (await insertUser(db.connection, 'ada')).userId;
  bob = (await insertUser(db.connection, 'bob')).userId;
});

afterAll(() => db.close());

const put = (userId: number, name: string, token: string, expires: Date | null = null) =>
  upsertToken(db.connection, { userId, name, token: kept(token), expires });

const inAnHour = () => new Date(Date.now() + 3_600_000);

describe('the tokens of a user', () => {
  it('come oldest first, with their ends, and without those of others', async () => {
    const expires = inAnHour();
    await put(ada, 'z', 'first');
    await put(ada, 'b', 'second', expires);
    await put(ada, 'a', 'third', new Date(Date.now() - 60_000));
    await put(bob, 'b', 'other');
    await db.sql(`update tokens set last_used_at = '2026-07-15T10:00Z' where name = 'z'`);
    const row = { created: expect.any(Date), expires: null, lastUsed: null, isExpired: false };
    expect(await selectTokens(db.connection, ada)).toEqual([
      { ...row, ...kept('first'), name: 'z', lastUsed: new Date('2026-07-15T10:00Z') },
      { ...row, ...kept('second'), name: 'b', expires },
      { ...row, ...kept('third'), name: 'a', expires: expect.any(Date), isExpired: true },
    ]);
  });

  it('are replaced by one of the same name, which was never used', async () => {
    await put(ada, 'a', 'first', inAnHour());
    await put(ada, 'b', 'kept');
    await db.sql(`update tokens set created_at = '2020-01-01', last_used_at = '2020-01-02'`);
    await put(ada, 'a', 'second');
    const tokens = await selectTokens(db.connection, ada);
    expect(tokens).toMatchObject([
      { ...kept('kept'), name: 'b', lastUsed: new Date('2020-01-02') },
      { ...kept('second'), name: 'a', expires: null, lastUsed: null },
    ]);
    expect(tokens[1]?.created.getTime()).toBeGreaterThan(Date.parse('2020-01-01'));
  });

  it('get another name and end, or are deleted, one at a time', async () => {
    const expires = inAnHour();
    for (const name of ['a', 'b']) await put(ada, name, name);
    await put(bob, 'a', 'other');
    await updateToken(db.connection, { userId: ada, name: 'a', newName: 'former a', expires });
    await deleteToken(db.connection, ada, 'b');
    expect(await selectTokens(db.connection, ada)).toMatchObject([
      { ...kept('a'), name: 'former a', expires },
    ]);
    expect(await selectTokens(db.connection, bob)).toMatchObject([{ name: 'a', expires: null }]);
  });

  it('are deleted days after they have expired', async () => {
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
    await put(ada, 'never', 'a');
    await put(ada, 'lately', 'b', ago(1.9));
    await put(ada, 'long ago', 'c', ago(2.1));
    await put(bob, 'long ago', 'd', ago(2.1));
    expect(await deleteExpiredTokens(db.connection, ada, 2)).toEqual([
      { name: 'long ago', expires: expect.any(Date) },
    ]);
    expect(await db.sql('select name from tokens order by name')).toEqual([
      { name: 'lately' },
      { name: 'long ago' },
      { name: 'never' },
    ]);
  });
});

describe('the last use of a token', () => {
  const use = (username: string, token: string, ageSeconds: number) => ({
    username,
    digest: kept(token).digest.toString('hex'),
    ageSeconds,
  });

  /** How many seconds ago each token was used, by name. */
  const ages = async () => {
    const rows = await db.sql<{ name: string; age: number | null }>(
      `select u.username || ' ' || name as name,
         round(extract(epoch from now() - last_used_at))::int as age
       from tokens join users u using (user_id)`,
    );
    return Object.fromEntries(rows.map(({ name, age }) => [name, age]));
  };

  it('is the latest of those that several servers tell', async () => {
    await put(ada, 'a', 'same');
    await put(ada, 'b', 'another');
    await put(bob, 'a', 'same');
    await updateLastUses(db.connection, [use('ada', 'same', 600), use('bob', 'same', 50)]);
    await updateLastUses(db.connection, [use('ada', 'same', 900), use('ada', 'gone', 0)]);
    expect(await ages()).toEqual({ 'ada a': 600, 'ada b': null, 'bob a': 50 });
    await updateLastUses(db.connection, [use('ada', 'same', 300), use('nobody', 'same', 0)]);
    expect(await ages()).toEqual({ 'ada a': 300, 'ada b': null, 'bob a': 50 });
  });
});
