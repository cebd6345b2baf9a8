import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AuditRow,
  commandActor,
  deleteExpiredAudit,
  type FailedSignIns,
  insertAudit,
  selectAudit,
  selectHasExpiredAudit,
  selectHasUnlogged,
  serverActor,
  updateLogged,
  upsertFailedSignIns,
} from '../../../db/sql/audit.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

let db: QueryDatabase;

beforeAll(async () => {
  db = await openQueryDatabase();
});
beforeEach(() => db.sql('delete from audit'));
afterAll(() => db.close());

const ALL = { since: null, user: null, after: null, most: 100 };

const added = (object: string) => ({ action: 'user added', object }) as const;

const objects = (rows: readonly AuditRow[]) => rows.map(({ object }) => object);

describe('a row of the audit', () => {
  it('names the user of the command, or the one that is given', async () => {
    const ada = { user: 'ada', from: '192.0.2.1' };
    await insertAudit(db.connection, [{ ...added('bob'), detail: { token: 'given' } }]);
    await insertAudit(db.connection, [added('cy')], ada);
    await insertAudit(db.connection, []);
    expect(await selectAudit(db.connection, ALL)).toEqual([
      {
        id: expect.any(String),
        at: expect.any(Date),
        ...commandActor(),
        action: 'user added',
        object: 'bob',
        detail: { token: 'given' },
      },
      expect.objectContaining({ ...ada, object: 'cy', detail: {} }),
    ]);
    expect(serverActor()).toEqual({ ...commandActor(), user: '(server)' });
  });

  it('is found by time and user, a page at a time', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await insertAudit(db.connection, names.map(added));
    await insertAudit(db.connection, [added('e')], { user: 'ada', from: 'x' });
    const [, second, ...others] = await selectAudit(db.connection, ALL);
    const page = { ...ALL, after: second ?? null, most: 2 };
    expect(objects(await selectAudit(db.connection, page))).toEqual(['c', 'd']);
    expect(objects(others)).toEqual(['c', 'd', 'e']);
    expect(objects(await selectAudit(db.connection, { ...ALL, user: 'ada' }))).toEqual(['e']);
    await db.sql("update audit set at = at - interval '1 hour' where object = 'c'");
    const since = Date.now() / 1000 - 1800;
    const recent = await selectAudit(db.connection, { ...ALL, since });
    expect(objects(recent)).toEqual(['a', 'b', 'd', 'e']);
  });

  it('is logged once, unless a request has logged it', async () => {
    await insertAudit(db.connection, [added('a'), added('b'), added('c')]);
    await insertAudit(db.connection, [added('d')], { user: 'ada', from: 'x' });
    expect(await selectHasUnlogged(db.connection)).toBe(true);
    expect(objects(await updateLogged(db.connection, 2))).toEqual(['a', 'b']);
    expect(objects(await updateLogged(db.connection, 2))).toEqual(['c']);
    expect(await selectHasUnlogged(db.connection)).toBe(false);
  });

  it('is deleted when it is older than the days it is kept', async () => {
    await insertAudit(db.connection, [added('a'), added('b'), added('c')]);
    expect(await selectHasExpiredAudit(db.connection, 1)).toBe(false);
    await db.sql("update audit set at = at - interval '25 hours' where object <> 'c'");
    expect(await selectHasExpiredAudit(db.connection, 2)).toBe(false);
    expect(await selectHasExpiredAudit(db.connection, 1)).toBe(true);
    expect(await deleteExpiredAudit(db.connection, 1, 1)).toBe(1);
    expect(await deleteExpiredAudit(db.connection, 1, 10)).toBe(1);
    expect(objects(await selectAudit(db.connection, ALL))).toEqual(['c']);
  });
});

describe('failed sign-ins', () => {
  const fail = (ageSeconds: number, ...failed: FailedSignIns[]) =>
    upsertFailedSignIns(db.connection, { failed, ageSeconds });

  const counts = async () =>
    (await selectAudit(db.connection, ALL)).map(({ user, from, detail }) => [user, from, detail]);

  it('add up in a row for each minute, name and address', async () => {
    const ada = { username: 'ada', from: 'x', count: 2 };
    await fail(0, ada, { ...ada, from: 'y' }, { username: null, from: 'x', count: 7 });
    await fail(0, ada, { username: null, from: null, count: 9 });
    await fail(3600, ada);
    expect(await counts()).toEqual([
      ['ada', 'x', { count: 2 }],
      ['ada', 'x', { count: 4 }],
      ['ada', 'y', { count: 2 }],
      [null, 'x', { count: 7 }],
      [null, null, { count: 9 }],
    ]);
  });

  it('are logged when their minute is over', async () => {
    await fail(0, { username: 'ada', from: 'x', count: 2 });
    expect(await selectHasUnlogged(db.connection)).toBe(false);
    await fail(180, { username: 'bob', from: 'x', count: 2 });
    expect(objects(await updateLogged(db.connection, 9))).toEqual(['bob']);
  });

  it('withhold names that may be tokens', async () => {
    const user = 'a.name.of.twenty.characters';
    await db.sql('insert into users (username) values ($1)', [user]);
    await fail(
      0,
      { username: user, from: 'x', count: 1 },
      { username: 'another.one.of.twenty', from: 'x', count: 2 },
      { username: 'yet.another.one.of.them', from: 'x', count: 3 },
    );
    expect(new Set(await counts())).toEqual(
      new Set([
        [user, 'x', { count: 1 }],
        ['(withheld)', 'x', { count: 5 }],
      ]),
    );
  });
});
