import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { type Deadline, RetryRequest } from '../../../db/session/read-session.ts';
import {
  selectRights,
  selectWatchedAlerts,
  selectWatchedVersions,
} from '../../../db/sql/subscriptions.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

const ALL = { networks: null, probes: null, groups: null };

let db: QueryDatabase;
let lab: number;
let other: number;

const NOWHERE = 2_000_000_000;

beforeAll(async () => {
  db = await openQueryDatabase();
  await db.apply({ context: 'lab', groups: [] });
  await db.apply({ context: 'other', groups: [] });
  lab = await db.contextId('lab');
  other = await db.contextId('other');
});

afterAll(() => db.close());

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const deadline = (): Deadline => ({ seconds: 60, until: performance.now() + 60_000 });

describe('the rights of users', () => {
  it('come in the order in which they were asked for', async () => {
    await addUser(db.connection, { name: 'ada', token: 'ada-token', contexts: ['lab'] });
    await addUser(db.connection, { name: 'bob', token: 'bob-token', contexts: ['lab', 'other'] });
    await db.sql(`delete from tokens using users u where u.user_id = tokens.user_id
      and u.username = 'bob'`);
    const right = (username: string, context: string) => ({
      username,
      context,
      tokenDigest: digestOf(`${username}-token`),
      page: null,
    });
    const rights = [
      right('nobody', 'lab'),
      right('bob', 'other'),
      right('ada', 'other'),
      right('ada', 'lab'),
      right('ada', 'nowhere'),
      { ...right('ada', 'lab'), tokenDigest: digestOf('another') },
      { ...right('ada', 'lab'), tokenDigest: null },
    ];
    expect(await db.read((session) => selectRights(session, rights, deadline()))).toEqual([
      { isSignedIn: false, limits: [] },
      { isSignedIn: false, limits: [ALL] },
      { isSignedIn: true, limits: [] },
      { isSignedIn: true, limits: [ALL] },
      { isSignedIn: true, limits: [] },
      { isSignedIn: false, limits: [ALL] },
      { isSignedIn: false, limits: [ALL] },
    ]);
  });

  it('are those of any token that has not expired', async () => {
    await addUser(db.connection, { name: 'cy', token: 'cy-token', contexts: ['lab'] });
    await db.sql(`insert into tokens (user_id, name, digest, expires_at)
      select user_id, n, sha256(n::bytea), now() + at::interval
      from users, (values ('lives', '1 hour'), ('over', '-1 s')) as t (n, at)
      where username = 'cy'`);
    const rights = ['cy-token', 'lives', 'over'].map((token) => ({
      username: 'cy',
      context: 'lab',
      tokenDigest: digestOf(token),
      page: null,
    }));
    const rows = await db.read((session) => selectRights(session, rights, deadline()));
    expect(rows.map(({ isSignedIn }) => isSignedIn)).toEqual([true, true, false]);
  });
});

describe('the versions that are watched', () => {
  it('are those of the contexts that exist', async () => {
    await db.sql('update context_versions set version = 5, layout = 3 where context_id = $1', [
      lab,
    ]);
    await db.sql('update text_versions set version = 4 where context_id = $1', [lab]);
    const [nonces] = await db.sql(
      `select v.nonce::float8 as nonce, t.nonce::float8 as "textNonce"
       from context_versions v join text_versions t using (context_id) where context_id = $1`,
      [lab],
    );
    const ask = (ids: readonly number[]) =>
      db.read((session) => selectWatchedVersions(session, ids, deadline()));
    const row = { contextId: lab, version: 5, layout: 3, textVersion: 4 };
    expect(await ask([lab, NOWHERE])).toEqual([
      { ...row, ...nonces, history: expect.stringMatching(/ base\/\d+\/\d+$/) },
    ]);
    expect((await ask([other, lab])).map(({ contextId }) => contextId).toSorted()).toEqual(
      [lab, other].toSorted(),
    );
    expect(await ask([])).toEqual([]);
  });
});

describe('a session that has read watched versions', () => {
  it('goes on reading while they are the same, and fails once they are not', async () => {
    const ask = (change: () => Promise<unknown>) =>
      db.read(async (session) => {
        await selectWatchedVersions(session, [lab], deadline());
        await change();
        return session.read({ text: 'select 1 as one' });
      });
    expect(await ask(async () => {})).toEqual([{ one: 1 }]);
    const raised = 'update context_versions set version = version + 1 where context_id = $1';
    await expect(ask(() => db.sql(raised, [lab]))).rejects.toThrow(RetryRequest);
  });
});

describe('the newest changes of alerts that are watched', () => {
  it('are zeros for a context that had none', async () => {
    await db.sql(
      `insert into alert_change_counters (context_id, last, nonce, nonce_before)
       values ($1, 17, 4711, 42)`,
      [lab],
    );
    const rows = await db.read((session) =>
      selectWatchedAlerts(session, [other, lab, NOWHERE], deadline()),
    );
    expect(rows.toSorted((a, b) => a.newest.localeCompare(b.newest))).toEqual([
      { contextId: other, newest: '0 0' },
      { contextId: NOWHERE, newest: '0 0' },
      { contextId: lab, newest: '17 4711' },
    ]);
  });
});
