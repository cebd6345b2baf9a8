import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  deleteGrant,
  deleteUser,
  insertUser,
  selectGrants,
  selectUserId,
  selectUsers,
  upsertGrant,
} from '../../../db/sql/users.ts';
import type { GrantLimit } from '../../../domain/callers/grant-limit.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

/** What is said of a user who is nobody in particular. */
const PLAIN = { isGroup: false, isAdmin: false, issuer: null, subject: null, shownName: null };

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

const ALL = { networks: null, probes: null, groups: null };

async function grant(
  userId: number,
  contextIds: readonly number[],
  { role, limit = ALL }: { role?: 'reader' | 'editor'; limit?: GrantLimit } = {},
): Promise<void> {
  for (const contextId of contextIds) {
    await upsertGrant(db.connection, { userId, contextId, role, limit });
  }
}

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
    await grant(ada, [alpha]);
    await grant(ada, [beta], { role: 'editor' });
    expect(await selectGrants(db.connection, ada)).toEqual([
      { context: 'alpha', role: 'reader' },
      { context: 'beta', role: 'editor' },
    ]);
  });

  it('keeps the role of an existing grant if none is given', async () => {
    await grant(ada, [alpha], { role: 'editor' });
    await grant(ada, [alpha]);
    expect(await selectGrants(db.connection, ada)).toEqual([{ context: 'alpha', role: 'editor' }]);
  });

  it('replaces the limit of an existing grant, also by none', async () => {
    const guid = 'abcdef00-0000-4000-8000-000000000001';
    const limit = { networks: ['10.0.0.0/8'], probes: ['p1'], groups: [guid] };
    await grant(ada, [alpha], { limit });
    expect(await selectGrants(db.connection, ada)).toEqual([
      {
        context: 'alpha',
        role: 'reader',
        onlyNetworks: ['10.0.0.0/8'],
        onlyProbes: ['p1'],
        onlyGroups: [{ guid: `{${guid.toUpperCase()}}` }],
      },
    ]);
    await grant(ada, [alpha]);
    expect(await selectGrants(db.connection, ada)).toEqual([{ context: 'alpha', role: 'reader' }]);
  });
});

describe('the grants of a user', () => {
  it('come by the names of the contexts, without those of other users', async () => {
    await grant(ada, [beta, alpha]);
    await grant(bob, [beta], { role: 'editor' });
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
      { username: 'ada', ...PLAIN, grants: [{ context: 'beta', role: 'reader' }] },
      { username: 'bob', ...PLAIN, grants: [{ context: 'alpha', role: 'reader' }] },
    ]);
  });
});

describe('all users', () => {
  it('come by name, each with their grants by context', async () => {
    await grant(bob, [beta], { role: 'editor' });
    await grant(bob, [alpha]);
    expect(await selectUsers(db.connection)).toEqual([
      { username: 'ada', ...PLAIN, grants: [] },
      {
        username: 'bob',
        ...PLAIN,
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
