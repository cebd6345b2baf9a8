import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { requireSession } from '../../../db/connection/with-connection.ts';
import {
  selectContextNames,
  selectContextNumbers,
  selectDemoState,
  selectIsUnused,
  selectProbeNames,
} from '../../../db/sql/contexts.ts';
import { insertSegments } from '../../../db/sql/publish.ts';
import { selectIsPrimary, selectUpkeep } from '../../../db/sql/server-state.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { group, T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;

beforeAll(async () => {
  db = await openQueryDatabase();
});

afterEach(async () => {
  await db.sql('delete from segments');
  await db.sql('delete from users');
  await db.sql('delete from contexts');
});

afterAll(() => db.close());

describe('whether a database is unused', () => {
  it('is true until there is a user or a context', async () => {
    expect(await selectIsUnused(db.connection)).toBe(true);
    await addUser(db.connection, { name: 'ada', contexts: [] });
    expect(await selectIsUnused(db.connection)).toBe(false);
    await db.sql('delete from users');
    await db.apply({ context: 'lab', groups: [] });
    expect(await selectIsUnused(db.connection)).toBe(false);
  });
});

describe('the names of contexts', () => {
  it('come in the order of their bytes', async () => {
    expect(await selectContextNames(db.connection)).toEqual([]);
    for (const context of ['lab', 'Zoo', 'élan', 'abc']) await db.apply({ context, groups: [] });
    expect(await selectContextNames(db.connection)).toEqual(['Zoo', 'abc', 'lab', 'élan']);
  });
});

describe('the names of probes', () => {
  it('are those of one context, by their ids', async () => {
    await db.apply({ context: 'lab', groups: [], probes: [{ id: 'east' }, { id: 'west' }] });
    await db.apply({ context: 'other', groups: [], probes: [{ id: 'north' }] });
    const names = await selectProbeNames(db.connection, await db.contextId('lab'));
    const probes = await db.sql<{ probe_id: number; name: string }>(
      `select probe_id, name from probes where name <> 'north'`,
    );
    expect(names).toEqual(new Map(probes.map(({ probe_id, name }) => [probe_id, name])));
    expect([...names.values()].toSorted()).toEqual(['east', 'west']);
  });
});

describe('the state of the demo', () => {
  const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
  const state = () => selectDemoState(db.connection, 'demo', digestOf('token'));

  it('says whether there is a context of that name', async () => {
    expect(await state()).toEqual({ isThere: false, isSignedIn: false });
    await db.apply({ context: 'demo', groups: [] });
    expect(await state()).toEqual({ isThere: true, isSignedIn: false });
  });

  it('is signed in for a user of that name with that token and a grant', async () => {
    await db.apply({ context: 'demo', groups: [] });
    await db.apply({ context: 'other', groups: [] });
    await addUser(db.connection, { name: 'ada', token: 'token', contexts: ['demo'] });
    await addUser(db.connection, { name: 'demo', token: 'token', contexts: ['other'] });
    expect(await state()).toEqual({ isThere: true, isSignedIn: false });
    await addUser(db.connection, { name: 'demo', contexts: ['demo'] });
    expect(await state()).toEqual({ isThere: true, isSignedIn: true });
    expect(await selectDemoState(db.connection, 'demo', digestOf('another'))).toEqual({
      isThere: true,
      isSignedIn: false,
    });
  });
});

describe('the numbers of contexts', () => {
  /** Inserts a segment that died at `diedAt`; null: it lives. */
  async function insertSegment(segmentId: number, diedAt: number | null): Promise<void> {
    const place = { contextId: await db.contextId('lab'), addedAt: 2 };
    const groupId = await db.groupId('lab', 'Group 1');
    await insertSegments(db.connection, place, [
      {
        segmentId,
        groupId,
        probeId: 0,
        sliceId: 1,
        level: 0,
        firstBucket: T0,
        lastBucket: T0,
        keyCount: 1,
        rowCount: 1,
        pageCount: 1,
        sizeBytes: 1,
        importedAt: T0,
        directory: Buffer.alloc(0),
      },
    ]);
    await db.sql(
      `update segments set died_at = to_timestamp($2), died = case when $2::float8 is not null then 3 end
       where segment_id = $1`,
      [segmentId, diedAt],
    );
  }

  it('come by context, with the death that has waited longest', async () => {
    await db.apply({ context: 'lab', groups: [group(1)] });
    await db.apply({ context: 'other', groups: [] });
    const lab = await db.contextId('lab');
    const other = await db.contextId('other');
    await insertSegment(1, null);
    await db.sql('update context_versions set version = 7, layout = 5 where context_id = $1', [
      lab,
    ]);
    await db.sql('update context_versions set version = 8, layout = 1 where context_id = $1', [
      other,
    ]);
    const row = { contextId: lab, name: 'lab', version: 7, layout: 5 };
    const others = { contextId: other, name: 'other', version: 8, layout: 1, oldestDeath: null };
    expect(await selectContextNumbers(db.connection)).toEqual([
      { ...row, oldestDeath: null },
      others,
    ]);
    await insertSegment(2, T0 + 60);
    await insertSegment(3, T0);
    expect(await selectContextNumbers(db.connection)).toEqual([
      { ...row, oldestDeath: T0 },
      others,
    ]);
  });
});

describe('a standby', () => {
  it('is not a primary, and has no numbers of contexts to work on', async () => {
    await db.apply({ context: 'lab', groups: [] });
    expect(await selectIsPrimary(db.connection)).toBe(true);
    expect(await selectUpkeep(db.connection)).toBe('keeps');
    expect(await selectContextNumbers(db.connection)).toHaveLength(1);
    await db.withFunction('pg_is_in_recovery() returns boolean', 'true', async (standby) => {
      expect(await selectIsPrimary(standby)).toBe(false);
      expect(await selectUpkeep(standby)).toBe('standby');
      expect(await selectContextNumbers(standby)).toEqual([]);
    });
  });
});

describe('work that needs a session', () => {
  it('is refused only behind a pooler in transaction mode', async () => {
    expect(() => requireSession(db.connection, 'archiving')).not.toThrow();
    // A pooler in transaction mode is recognised by the process: it is not the one of the login.
    await db.withFunction('pg_backend_pid() returns integer', '4711', async (pooled) => {
      expect(() => requireSession(pooled, 'archiving')).toThrow(
        'archiving: the database is behind a pooler in transaction mode',
      );
    });
  });
});
