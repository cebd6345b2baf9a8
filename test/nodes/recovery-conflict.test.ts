import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConflictingWay, openConflictingWay } from '../support/database/conflicting-way.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { group, startLab, T0 } from '../support/lab/lab.ts';
import type { TestService } from '../support/lab/service.ts';

let database: TestDatabase;
let way: ConflictingWay;
let lab: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  way = await openConflictingWay(database.url);
  lab = await startLab({
    databaseUrl: database.url,
    groups: [group(1), group(2)],
    lines: [1, 2].map((n) => ({ group: group(n).guid, key: 'a', ts: T0, values: { 0: n } })),
    declaration: { nodes: [{ name: 'dr0', role: 'dr', url: way.url }] },
  });
});

afterAll(async () => {
  await lab?.close();
  await way?.close();
  await database?.drop();
});

const QUESTION = `{ context(name: "lab", fromDr: true) {
  haSlaveMode
  counterGroups { topper(window: {recentSeconds: 60}) { total keys { key label metric } } }
  slices { diskSize }
} }`;

it('a session that a standby ends between two statements is retried once', async () => {
  const calm = await lab.data(QUESTION);
  lab.emptyCaches();
  way.endNext(1);
  expect(await lab.data(QUESTION)).toEqual(calm);
  expect(way.left()).toBe(0);
});

it('a second recovery conflict is reported as such', async () => {
  lab.emptyCaches();
  way.endNext(9);
  const { errors } = await lab.graphql(QUESTION);
  way.endNext(0);
  expect(new Set(errors?.map(({ message }) => message))).toEqual(
    new Set(['The standby cancelled the query to keep up with its primary, try again']),
  );
});
