import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distributePages, undistributePages } from '../../store/distribute/distribute-pages.ts';
import { FIXTURE } from '../conversion/convert-lab.ts';
import {
  findDifferences,
  readAnswers,
  replaceAnswers,
  type StoredAnswer,
} from '../conversion/stored-answers.ts';
import { restoreStoredDatabase, type StoredDatabase } from '../conversion/stored-database.ts';
import { keepingOf } from '../store/archive/keep-support.ts';
import { makeReady } from '../support/database/database.ts';
import { DAY, T0 } from '../support/lab/lab.ts';
import { startTestService, type TestService } from '../support/lab/service.ts';
import { hasCluster, pagesByNode, shardCount } from './cluster.ts';

const CONTEXTS = ['lab', 'Büro 2', 'flows', 'building'];

let database: StoredDatabase;
let service: TestService;
let archived: readonly StoredAnswer[];
let restored: readonly StoredAnswer[];

describe.skipIf(!hasCluster)(
  'a database whose pages Citus distributes',
  { timeout: 300_000 },
  () => {
    beforeAll(async () => {
      archived = await readAnswers(FIXTURE, 'answers-archived.ndjson.gz');
      restored = replaceAnswers(archived, await readAnswers(FIXTURE, 'answers-restored.ndjson.gz'));
      database = await restoreStoredDatabase(FIXTURE, 'cold');
      await makeReady(database.url);
      await distributePages({ databaseUrl: database.url });
      service = await startTestService({ databaseUrl: database.url });
      service.clock.seconds = T0 + 60 * DAY;
    }, 300_000);

    afterAll(async () => {
      await service?.close();
      await database?.remove();
    });

    /** Asks all questions with empty caches. */
    async function expectAnswers(answers: readonly StoredAnswer[]): Promise<void> {
      service.emptyCaches();
      const differences = await findDifferences(service, answers);
      const first = differences.slice(0, 3);
      expect(first.map(({ now }) => now)).toEqual(first.map(({ then }) => then));
      expect(differences).toHaveLength(0);
    }

    async function expectWhole(): Promise<void> {
      for (const context of CONTEXTS) {
        expect((await keepingOf(service, { context }).verify()).differences).toEqual([]);
      }
    }

    it('may come from version 1.7: what was converted moves to the workers', async () => {
      expect(await shardCount(database.url)).toBe(4);
      const pages = await pagesByNode(database.url);
      expect(pages.size).toBe(2);
      for (const count of pages.values()) expect(count).toBeGreaterThan(0);
      await expectWhole();
    });

    it('gives every answer that one server gives', async () => {
      expect(archived.length).toBeGreaterThan(400);
      await expectAnswers(archived);
    });

    it('restores what version 1.7 archived', async () => {
      await keepingOf(service).restore('slice-20240715-0000');
      await keepingOf(service, { context: 'building' }).restore('slice-20240801-0000');
      await expectAnswers(restored);
      await expectWhole();
    });

    it('moves back to the coordinator while a server runs', async () => {
      await undistributePages({ databaseUrl: database.url });
      expect(await shardCount(database.url)).toBe(0);
      await expectAnswers(restored);
      await expectWhole();
    });

    it('is distributed again while the server runs', async () => {
      await distributePages({ databaseUrl: database.url, shards: 3 });
      expect(await shardCount(database.url)).toBe(3);
      await expectAnswers(restored);
      await expectWhole();
    });
  },
);
