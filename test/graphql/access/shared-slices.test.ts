import { afterAll, beforeAll, expect, it } from 'vitest';
import { SELECT_SLICES } from '../../../db/queries/select-slices.ts';
import { countWaiting, holdTables } from '../../support/database/held-tables.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

const BOB = { username: 'bob', token: 'bob-token' };
const REQUESTS = 40;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: guidOf(1), key: 'k', ts: T0, values: { 0: 1 } }],
  });
  await lab.addUser(BOB, [CONTEXT]);
});

afterAll(() => lab.close());

const ask = (user: typeof ADA) =>
  lab.graphql(`{ context(name: "${CONTEXT}") { slices { name status } } }`, {}, basic(user));

it('concurrent requests for slices share a few statements, even across users', async () => {
  const expected = await ask(ADA);
  expect(expected.data).toMatchObject({ context: { slices: [{ status: 'processing' }] } });
  const held = await holdTables(lab.databaseUrl, ['slices']);
  const statements = lab.watchStatements();
  const asked = () => statements().filter((text) => text === SELECT_SLICES).length;
  const answers = Array.from({ length: REQUESTS }, (_, index) => ask(index % 2 === 0 ? ADA : BOB));
  // Two requests have their own statements, all others share one.
  await expect.poll(() => countWaiting(lab.databaseUrl)).toBe(3);
  const all = `countergraph_requests_at_work ${REQUESTS}\n`;
  await expect.poll(async () => (await lab.call('/metrics')).text).toContain(all);
  expect(asked()).toBeLessThan(10);
  await held.release();
  for (const { data } of await Promise.all(answers)) expect(data).toEqual(expected.data);
  expect(asked()).toBeLessThan(20);
});
