import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compactContext } from '../../store/merge/compact-context.ts';
import { keepingOf } from '../store/archive/keep-support.ts';
import { makeReady } from '../support/database/database.ts';
import { DAY, T0 } from '../support/lab/lab.ts';
import { basic, startTestService, type TestService } from '../support/lab/service.ts';
import { FIXTURE } from './convert-lab.ts';
import {
  findDifferences,
  readAnswers,
  replaceAnswers,
  type StoredAnswer,
} from './stored-answers.ts';
import { restoreStoredDatabase, type StoredDatabase } from './stored-database.ts';

const CONTEXTS = ['lab', 'Büro 2', 'flows', 'building'];

let database: StoredDatabase;
let service: TestService;
let archived: readonly StoredAnswer[];
/** Those that restoring changes. */
let changed: readonly StoredAnswer[];

beforeAll(async () => {
  archived = await readAnswers(FIXTURE, 'answers-archived.ndjson.gz');
  changed = await readAnswers(FIXTURE, 'answers-restored.ndjson.gz');
  database = await restoreStoredDatabase(FIXTURE, 'cold');
  await makeReady(database.url);
  service = await startTestService({ databaseUrl: database.url });
  service.clock.seconds = T0 + 60 * DAY;
}, 120_000);

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
    const { differences } = await keepingOf(service, { context }).verify();
    expect(differences).toEqual([]);
  }
}

describe('a converted database', { timeout: 120_000 }, () => {
  it('gives every answer of version 1.7', async () => {
    expect(archived.length).toBeGreaterThan(400);
    await expectAnswers(archived);
  });

  it('is as it was written, and derives the same', expectWhole);

  it('accepts the tokens of its users, generated, chosen and of the legacy service', async () => {
    for (const [username, token] of [
      ['ada', 'ada-token'],
      ['dora', 'dora-token-of-twenty-characters'],
      ['emil', 'short'],
    ] as const) {
      const { status } = await service.graphql('{ __typename }', {}, basic({ username, token }));
      expect([username, status]).toEqual([username, 200]);
    }
  });

  it('gives the same answers once its segments are merged and rolled up again', async () => {
    for (const context of CONTEXTS)
      await compactContext({
        databaseUrl: database.url,
        context,
        now: () => service.clock.seconds,
      });
    await expectAnswers(archived);
    await expectWhole();
  });

  it('restores what version 1.7 archived, which is converted then', async () => {
    await keepingOf(service, { context: 'building' }).restore('slice-20240801-0000');
    await keepingOf(service, { context: 'lab' }).restore('slice-20240715-0000');
    await expectAnswers(replaceAnswers(archived, changed));
    await expectWhole();
  });

  it('archives and restores it again in the present format', async () => {
    const keeping = keepingOf(service, { context: 'building' });
    await keeping.archive('slice-20240801-0000');
    await keeping.restore('slice-20240801-0000');
    const ofBuilding = ({ question }: StoredAnswer) =>
      JSON.stringify(question).includes('building');
    const answers = changed.filter(ofBuilding);
    expect(answers.length).toBeGreaterThan(10);
    await expectAnswers(answers);
  });
});
