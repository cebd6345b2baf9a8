import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ensureProbes,
  insertImport,
  noteGroupData,
  selectImport,
  selectImports,
  selectImportsByHead,
} from '../../../db/sql/imports.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { group, T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;
let lab: number;
let other: number;

beforeAll(async () => {
  db = await openQueryDatabase();
  await db.apply({ context: 'lab', groups: [group(1), group(2)] });
  await db.apply({ context: 'other', groups: [] });
  lab = await db.contextId('lab');
  other = await db.contextId('other');
});

beforeEach(async () => {
  await db.sql('delete from imports');
  await db.sql('delete from feeds');
});

afterAll(() => db.close());

const digestOf = (content: string): Buffer => createHash('sha256').update(content).digest();

const imported = (contextId: number, source: string, content: string) =>
  insertImport(db.connection, {
    contextId,
    source,
    length: content.length,
    digest: digestOf(content),
    head: digestOf(content.slice(0, 4)),
    format: 'samples',
  });

/** A feed that has committed so many flows, the last of them at that time. */
const fed = (contextId: number, flows: number, at: number) =>
  db.sql(
    `insert into feeds (feed_id, context_id, format, started_at, commits, flows, newest_us,
       committed_at)
     values (gen_random_uuid(), $1, 'nfdump', to_timestamp($3), 1, $2, 0, to_timestamp($3))`,
    [contextId, flows, at],
  );

describe('an import', () => {
  it('is recorded with its source, its format and the time', async () => {
    await imported(lab, 'a.csv', 'content');
    expect(
      await db.sql(
        `select context_id, digest, source, format, imported_at > now() - interval '1 hour' as "isNew"
         from imports`,
      ),
    ).toEqual([
      {
        context_id: lab,
        digest: digestOf('content'),
        source: 'a.csv',
        format: 'samples',
        isNew: true,
      },
    ]);
  });

  it('is found by its context and content, and is the last one of several', async () => {
    await imported(lab, 'first.csv', 'content');
    await imported(lab, 'last.csv', 'content');
    await imported(lab, 'another.csv', 'other content');
    expect(await selectImport(db.connection, lab, digestOf('content'))).toEqual({
      from: 'last.csv',
      importedAt: expect.any(Date),
    });
    expect(await selectImport(db.connection, other, digestOf('content'))).toBeNull();
    expect(await selectImport(db.connection, lab, digestOf('unknown'))).toBeNull();
  });

  it('is found by its context and its head, the shortest first', async () => {
    await imported(lab, 'long.csv', 'content and more');
    await imported(lab, 'short.csv', 'content');
    await imported(lab, 'another.csv', 'CONTENT');
    const found = await selectImportsByHead(db.connection, lab, digestOf('cont'));
    const importedAt = expect.any(Date);
    expect(found).toEqual([
      { from: 'short.csv', importedAt, length: 7, digest: digestOf('content') },
      { from: 'long.csv', importedAt, length: 16, digest: digestOf('content and more') },
    ]);
    expect(await selectImportsByHead(db.connection, other, digestOf('cont'))).toEqual([]);
  });
});

describe('the imports of contexts', () => {
  it('are counted for each, with the time of the last file', async () => {
    await imported(lab, 'a.csv', 'a');
    await imported(lab, 'b.csv', 'b');
    await db.sql('update imports set imported_at = to_timestamp($1)', [T0]);
    await db.sql(`update imports set imported_at = to_timestamp($1) where source = 'a.csv'`, [
      T0 + 60,
    ]);
    const rows = await selectImports(db.connection, [lab, other]);
    expect(rows.toSorted((a, b) => a.contextId - b.contextId)).toEqual([
      { contextId: lab, files: 2, lastAt: T0 + 60 },
      { contextId: other, files: 0, lastAt: null },
    ]);
    expect(await selectImports(db.connection, [other])).toEqual([
      { contextId: other, files: 0, lastAt: null },
    ]);
  });

  it('have the time of the last feed if it is later, unless it had no flows', async () => {
    await imported(lab, 'a.csv', 'a');
    await db.sql('update imports set imported_at = to_timestamp($1)', [T0]);
    await fed(lab, 5, T0 + 10);
    await fed(lab, 0, T0 + 20);
    await fed(other, 5, T0 + 30);
    expect(await selectImports(db.connection, [lab])).toEqual([
      { contextId: lab, files: 1, lastAt: T0 + 10 },
    ]);
    await db.sql('update imports set imported_at = to_timestamp($1)', [T0 + 15]);
    expect(await selectImports(db.connection, [lab])).toEqual([
      { contextId: lab, files: 1, lastAt: T0 + 15 },
    ]);
  });
});

describe('the probes of an import', () => {
  it('are created if the context lacks them', async () => {
    const first = await ensureProbes(db.connection, lab, ['east', 'west']);
    expect(first.map(({ name, created }) => ({ name, created }))).toEqual([
      { name: 'east', created: true },
      { name: 'west', created: true },
    ]);
    const east = first.find(({ name }) => name === 'east')?.probeId;
    const again = await ensureProbes(db.connection, lab, ['east', 'north']);
    expect(again.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { probeId: east, name: 'east', created: false },
      { probeId: expect.any(Number), name: 'north', created: true },
    ]);
    const [own] = await ensureProbes(db.connection, other, ['east']);
    expect(own).toEqual({ probeId: expect.any(Number), name: 'east', created: true });
    expect(own?.probeId).not.toBe(east);
    expect(await db.sql('select context_id, name from probes order by context_id, name')).toEqual([
      { context_id: lab, name: 'east' },
      { context_id: lab, name: 'north' },
      { context_id: lab, name: 'west' },
      { context_id: other, name: 'east' },
    ]);
  });
});

describe('noting that groups have data', () => {
  it('changes only these groups, and each of them once', async () => {
    const groupId = await db.groupId('lab', 'Group 1');
    const state = () =>
      db.sql<{ name: string; has_data: boolean; version: string }>(
        `select name, has_data, version from counter_groups join context_versions using (context_id)
         where context_id = $1 order by name`,
        [lab],
      );
    await noteGroupData(db.connection, [groupId]);
    const noted = await state();
    expect(noted).toMatchObject([
      { name: 'Group 1', has_data: true },
      { name: 'Group 2', has_data: false },
    ]);
    await noteGroupData(db.connection, [groupId]);
    // A change that changes nothing would still raise the version, and so empty all caches.
    expect(await state()).toEqual(noted);
  });
});
