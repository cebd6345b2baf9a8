import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import type { Deadline } from '../../../db/session/read-session.ts';
import { selectIdentity } from '../../../db/sql/identity.ts';
import { selectRights } from '../../../db/sql/subscriptions.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

const ALL = { networks: null, probes: null, groups: null };

const ISSUER = 'https://id.example.com';

const SESSION = createHash('sha256').update('a session of mika').digest();

let db: QueryDatabase;

beforeAll(async () => {
  db = await openQueryDatabase();
  for (const context of ['lab', 'office', 'vault']) await db.apply({ context, groups: [] });
});

afterAll(() => db.close());

beforeEach(async () => {
  await db.sql('delete from users');
  await addUser(db.connection, { name: 'mika', token: 'mika-token', contexts: ['lab'] });
  await db.sql(`update users set issuer = '${ISSUER}', subject = '4711'`);
  await db.sql(`insert into users (username, is_group, is_admin) values
    ('net', true, false), ('ops', true, true), ('mika', true, false)`);
  await db.sql(`insert into grants (user_id, context_id, role)
    select user_id, context_id, role from users join contexts on true
      join (values ('net', 'lab', 'editor'), ('net', 'office', 'reader'), ('ops', 'office', 'reader'),
        ('mika', 'vault', 'reader')) as g (username, name, role) using (username, name)
    where is_group`);
  await db.sql(
    `insert into sessions (digest, user_id, issuer, subject, groups, ends_at)
     select $1, user_id, issuer, subject, '{net, unheard of}', now() + interval '1 hour'
     from users where not is_group`,
    [SESSION],
  );
});

const deadline = (): Deadline => ({ seconds: 60, until: performance.now() + 60_000 });

const claimed = (issuer: string | null) => ({ session: SESSION, issuer });

/** Returns the roles that are granted in each context; null: nobody is signed in. */
async function granted(issuer: string | null = ISSUER) {
  const claim = { ...claimed(issuer), slicesOf: null, requestId: null };
  const row = await db.read((session) => selectIdentity(session, claim, deadline()));
  if (!row) return null;
  const contexts = row.contexts.map(({ name, grants }) => [
    name,
    grants.map(({ role }) => role).toSorted(),
  ]);
  return { username: row.username, isAdmin: row.isAdmin, ...Object.fromEntries(contexts) };
}

const rights = (issuer: string | null = ISSUER) =>
  db.read((session) =>
    selectRights(
      session,
      ['lab', 'office', 'vault'].map((context) => ({
        username: 'mika',
        context,
        tokenDigest: null,
        page: claimed(issuer),
      })),
      deadline(),
    ),
  );

describe('a session of an identity provider', () => {
  it('has what is granted to the user, and to the groups that the provider named', async () => {
    expect(await granted()).toEqual({
      username: 'mika',
      isAdmin: false,
      lab: ['editor', 'reader'],
      office: ['reader'],
    });
    expect(await rights()).toMatchObject([
      { limits: [ALL, ALL], isSignedIn: true },
      { limits: [ALL], isSignedIn: true },
      { limits: [], isSignedIn: true },
    ]);
  });

  it('is that of an administrator if one of the groups is', async () => {
    await db.sql(`update sessions set groups = '{ops}'`);
    expect(await granted()).toMatchObject({ isAdmin: true });
  });

  it.each([
    ['no provider', null],
    ['another provider', 'https://other.example.com'],
  ])('counts as none once the server has %s', async (_, issuer) => {
    expect(await granted(issuer)).toBe(null);
    expect(await rights(issuer)).toMatchObject([
      { isSignedIn: false },
      { isSignedIn: false },
      { isSignedIn: false },
    ]);
  });

  it.each([
    ['no longer linked', 'update users set issuer = null, subject = null'],
    ['linked to somebody else', `update users set subject = '4712' where not is_group`],
  ])('counts as none once the user is %s', async (_, change) => {
    await db.sql(change);
    expect(await granted()).toBe(null);
    expect(await rights()).toMatchObject([
      { isSignedIn: false },
      { isSignedIn: false },
      { isSignedIn: false },
    ]);
  });
});

it('a user with a token has none of the grants of groups', async () => {
  const digest = createHash('sha256').update('mika-token').digest();
  const claim = { username: 'mika', digest, slicesOf: null, requestId: null };
  const row = await db.read((session) => selectIdentity(session, claim, deadline()));
  expect(row).toMatchObject({ isAdmin: false, contexts: [{ name: 'lab' }] });
  expect(row?.contexts.length).toBe(1);
});
