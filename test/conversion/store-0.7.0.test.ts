import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Migration } from '../../db/migrate.ts';
import { importFile } from '../../ingest/files/import-file.ts';
import { filesBelow, keepingOf } from '../keeping/keep-support.ts';
import { makeReady } from '../support/database/database.ts';
import { DAY, guidOf, T0 } from '../support/lab/lab.ts';
import { startTestService, type TestService } from '../support/lab/service.ts';
import {
  type Difference,
  findDifferences,
  readAnswers,
  replaceAnswers,
  type StoredAnswer,
} from './stored-answers.ts';
import { readStored, restoreStoredDatabase, type StoredDatabase } from './stored-database.ts';

const FIXTURE = 'store-0.7.0';
const CONTEXTS = ['lab', 'Büro 2', 'flows'];
const SWITCHED_OFF = guidOf(15);

let database: StoredDatabase;
let migration: Migration;
let service: TestService;
/** The groups before SWITCHED_OFF is switched on, which some stored answers need. */
let listedAtFirst: readonly string[];
let whole: readonly StoredAnswer[];
let archived: readonly StoredAnswer[];

beforeAll(async () => {
  whole = await readAnswers(FIXTURE, 'answers-whole.ndjson.gz');
  archived = replaceAnswers(whole, await readAnswers(FIXTURE, 'answers-archived.ndjson.gz'));
  database = await restoreStoredDatabase(FIXTURE, 'cold');
  migration = await makeReady(database.url);
  service = await startTestService({ databaseUrl: database.url });
  service.clock.seconds = T0 + 60 * DAY;
  listedAtFirst = await listedGroups();
  await service.apply({ context: 'lab', groups: [{ guid: SWITCHED_OFF, enabled: true }] });
});

afterAll(async () => {
  await service?.close();
  await database?.remove();
});

type ListedGroups = { readonly context: { readonly counterGroups: readonly { guid: string }[] } };

async function listedGroups(): Promise<string[]> {
  const { context } = await service.data<ListedGroups>(
    '{ context(name: "lab") { counterGroups { guid } } }',
  );
  return context.counterGroups.map(({ guid }) => guid).sort();
}

/** Fails with the first differences in full: hundreds would be unreadable. */
function expectNone(differences: readonly Difference[]): void {
  const first = differences.slice(0, 3);
  expect(first.map(({ now }) => now)).toEqual(first.map(({ then }) => then));
  expect(differences).toHaveLength(0);
}

describe('a database that version 0.7.0 made', () => {
  it('is migrated from the schema that it had', () => {
    expect(migration.from).toBe('006_archives');
  });

  it('does not list a group that was switched off, until it is switched on', async () => {
    expect(listedAtFirst).not.toContain(SWITCHED_OFF);
    expect(await listedGroups()).toEqual([...listedAtFirst, SWITCHED_OFF].sort());
  });

  it('gives every answer that it gave while two of its slices were archived', async () => {
    expect(archived.length).toBeGreaterThan(1000);
    expectNone(await findDifferences(service, archived));
  });

  it('gives every answer that it gave before, once those slices are restored', async () => {
    expect(await filesBelow(database.pool)).toHaveLength(2);
    await keepingOf(service).restore('slice-20240715-0000');
    await keepingOf(service, { context: 'Büro 2' }).restore('slice-20240718-0800');
    expect(await filesBelow(database.pool)).toEqual([]);
    expectNone(await findDifferences(service, whole));
  });

  it('refuses a file that was imported before', async () => {
    const content = await readStored(FIXTURE, 'imported.ndjson.gz');
    const again = importFile({
      databaseUrl: database.url,
      context: 'Büro 2',
      format: 'samples',
      source: {
        name: 'imported.ndjson',
        sizeBytes: null,
        isRepeatable: true,
        open: () => Readable.from([Buffer.from(content)]),
      },
      now: () => service.clock.seconds,
    });
    await expect(again).rejects.toThrow('its content is in context Büro 2 already');
  });

  it('has no derived data that differ from their source', async () => {
    for (const context of CONTEXTS) {
      const verified = await keepingOf(service, { context }).verify();
      expect(verified).toMatchObject({ differences: [] });
    }
  });
});
