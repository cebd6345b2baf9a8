import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  insertAccount,
  lockAccount,
  selectAccounts,
  selectIsAdmin,
  updateIsAdmin,
} from '../../../db/sql/accounts.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

let db: QueryDatabase;

beforeAll(async () => {
  db = await openQueryDatabase();
});

afterAll(() => db.close());

beforeEach(async () => {
  await db.sql('delete from users');
  await db.sql(`insert into users (username, is_group, is_admin) values
    ('ada', false, true), ('bob', false, false), ('ada', true, false), ('ops', true, true)`);
});

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

describe('users and groups', () => {
  it('may have the same name', async () => {
    const ids = [
      await lockAccount(db.connection, { name: 'ada', isGroup: false }),
      await lockAccount(db.connection, { name: 'ada', isGroup: true }),
      await lockAccount(db.connection, { name: 'bob', isGroup: true }),
    ];
    expect(ids).toEqual([expect.any(Number), expect.any(Number), null]);
    expect(ids[0]).not.toBe(ids[1]);
    const rows = await db.read((session) => selectAccounts(session, ['ada', 'nobody']));
    expect(rows.map(({ name, isGroup, isAdmin }) => [name, isGroup, isAdmin])).toEqual([
      ['ada', false, true],
      ['ada', true, false],
    ]);
  });

  it('are inserted once', async () => {
    const add = (isGroup: boolean) =>
      insertAccount(db.connection, { name: 'bob', isGroup, isAdmin: true });
    expect([await add(false), await add(true), await add(true)]).toEqual([false, true, false]);
    expect(
      await db.sql(`select is_admin from users where username = 'bob' and not is_group`),
    ).toEqual([{ is_admin: false }]);
  });

  it('become administrators, which is a change only once', async () => {
    const bob = (await lockAccount(db.connection, { name: 'bob', isGroup: false })) ?? 0;
    const set = (isAdmin: boolean) => updateIsAdmin(db.connection, bob, isAdmin);
    expect([await set(true), await set(true), await set(false)]).toEqual([true, false, true]);
  });
});

describe('whoever makes a change is an administrator', () => {
  const isAdmin = (username: string, proof: object = {}) =>
    selectIsAdmin(db.connection, {
      username,
      tokenDigest: null,
      session: null,
      groups: [],
      ...proof,
    });

  it('by their own right, not by that of a group of their name', async () => {
    expect([await isAdmin('ada'), await isAdmin('bob'), await isAdmin('ops')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('by a group that a proxy or a session names', async () => {
    expect(await isAdmin('bob', { groups: ['none', 'ops'] })).toBe(true);
    expect(await isAdmin('bob', { groups: ['ada', 'bob'] })).toBe(false);
    const session = digestOf('session');
    await db.sql(
      `insert into sessions (digest, user_id, issuer, subject, groups, ends_at)
       select $1, user_id, 'https://id.example.com', '1', '{ops}', now() + interval '1 hour'
       from users where username = 'bob'`,
      [session],
    );
    expect(await isAdmin('bob', { session })).toBe(true);
    expect(await isAdmin('ada', { session })).toBe(false);
  });

  it('while the token is there', async () => {
    await db.sql(
      `insert into tokens (user_id, digest) select user_id, $1 from users where username = 'ada'`,
      [digestOf('token')],
    );
    expect(await isAdmin('ada', { tokenDigest: digestOf('token') })).toBe(true);
    expect(await isAdmin('ada', { tokenDigest: digestOf('other') })).toBe(false);
    await db.sql('update tokens set expires_at = now()');
    expect(await isAdmin('ada', { tokenDigest: digestOf('token') })).toBe(false);
  });
});
