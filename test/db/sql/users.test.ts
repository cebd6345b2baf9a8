import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  deleteGrant,
  deleteUser,
  insertGrants,
  insertUser,
  selectGrants,
  selectUserId,
  selectUsers,
} from '../../../db/sql/users.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

let db: QueryDatabase;
let alpha: number;
let beta: number;
let ada: number;
let bob: number;

beforeAll(async () => {
  db = await openQueryDatabase();
  // Created in this order, so that their ids are not in the order of their names.
  await db.apply({ context: 'beta', groups: [] });
  await db.apply({ context: 'alpha', groups: [] });
  alpha = await db.contextId('alpha');
  beta = await db.contextId('beta');
});

beforeEach(async () => {
  await db.sql('delete from users');
  bob = (await insertUser(db.connection, 'bob')).userId;
  ada = (await insertUser(db.connection, 'ada')).userId;
});

afterAll(() => db.close());

const grant = (userId: number, contextIds: readonly number[], role?: 'reader' | 'editor') =>
  insertGrants(db.connection, { userId, contextIds, role });

describe('inserting a user', () => {
  it('creates one, and returns the same one the next time', async () => {
    const first = await insertUser(db.connection, 'eve');
    expect(first).toEqual({ userId: expect.any(Number), created: true });
    expect(await insertUser(db.connection, 'eve')).toEqual({
      userId: first.userId,
      created: false,
    });
    expect(await db.sql(`select user_id from users where username = 'eve'`)).toEqual([
      { user_id: first.userId },
    ]);
  });
});

describe('the id of a user', () => {
  it('is found by the exact name', async () => {
    expect(await selectUserId(db.connection, 'ada')).toBe(ada);
    expect(await selectUserId(db.connection, 'Ada')).toBeNull();
  });
});

describe('granting contexts', () => {
  it('makes a reader unless a role is given', async () => {
    expect(await grant(ada, [alpha])).toEqual([{ contextId: alpha, isNew: true }]);
    expect(await grant(ada, [beta], 'editor')).toEqual([{ contextId: beta, isNew: true }]);
    expect(await selectGrants(db.connection, ada)).toEqual([
      { context: 'alpha', role: 'reader' },
      { context: 'beta', role: 'editor' },
    ]);
  });

  it('returns only the grants that are new or have another role', async () => {
    await grant(ada, [alpha], 'editor');
    expect(await grant(ada, [alpha], 'editor')).toEqual([]);
    const changed = await grant(ada, [alpha, beta], 'reader');
    expect(changed.toSorted((a, b) => a.contextId - b.contextId)).toEqual([
      { contextId: beta, isNew: true },
      { contextId: alpha, isNew: false },
    ]);
  });

  it('keeps the role of an existing grant if none is given', async () => {
    await grant(ada, [alpha], 'editor');
    expect(await grant(ada, [alpha])).toEqual([]);
    expect(await selectGrants(db.connection, ada)).toEqual([{ context: 'alpha', role: 'editor' }]);
  });
});

describe('the grants of a user', () => {
  it('come by the names of the contexts, without those of other users', async () => {
    await grant(ada, [beta, alpha]);
    await grant(bob, [beta], 'editor');
    expect((await selectGrants(db.connection, ada)).map(({ context }) => context)).toEqual([
      'alpha',
      'beta',
    ]);
    expect(await selectGrants(db.connection, bob)).toEqual([{ context: 'beta', role: 'editor' }]);
  });

  it('are revoked one at a time', async () => {
    await grant(ada, [alpha, beta]);
    await grant(bob, [alpha]);
    expect(await deleteGrant(db.connection, ada, alpha)).toBe(true);
    expect(await deleteGrant(db.connection, ada, alpha)).toBe(false);
    expect(await selectUsers(db.connection)).toEqual([
      { username: 'ada', isAdmin: false, grants: [{ context: 'beta', role: 'reader' }] },
      { username: 'bob', isAdmin: false, grants: [{ context: 'alpha', role: 'reader' }] },
    ]);
  });
});

describe('all users', () => {
  it('come by name, each with their grants by context', async () => {
    await grant(bob, [beta], 'editor');
    await grant(bob, [alpha]);
    expect(await selectUsers(db.connection)).toEqual([
      { username: 'ada', isAdmin: false, grants: [] },
      {
        username: 'bob',
        isAdmin: false,
        grants: [
          { context: 'alpha', role: 'reader' },
          { context: 'beta', role: 'editor' },
        ],
      },
    ]);
  });
});

describe('deleting a user', () => {
  it('deletes their token and grants, and those of nobody else', async () => {
    for (const userId of [ada, bob]) {
      await db.sql("insert into tokens (user_id, digest) values ($1, sha256('token'))", [userId]);
      await grant(userId, [alpha]);
    }
    expect(await deleteUser(db.connection, 'ada')).toBe(true);
    expect(await deleteUser(db.connection, 'ada')).toBe(false);
    for (const table of ['users', 'tokens', 'grants']) {
      expect(await db.sql(`select user_id from ${table}`)).toEqual([{ user_id: bob }]);
    }
  });
});
