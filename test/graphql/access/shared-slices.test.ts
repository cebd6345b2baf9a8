import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { SharedReads } from '../../../db/session/shared-reads.ts';
import { SELECT_SLICES } from '../../../db/sql/slices.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { holdTables } from '../../support/database/held-tables.ts';
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

/**
 * Each request has another document, so that none waits for the answer to another one. A server on
 * a busy machine may refuse some of so many.
 */
async function ask(user: typeof ADA, index: number) {
  const document = `{ context(name: "${CONTEXT}") { slices { name status } } n${index}: __typename }`;
  for (;;) {
    const answer = await lab.graphql(document, {}, basic(user));
    if (answer.errors?.[0]?.extensions?.code !== 'BUSY') return answer;
    await delay(20);
  }
}

it('concurrent requests for slices share a few statements, even across users', async () => {
  // Otherwise another read begins every few milliseconds, and these reads, which are held here, use
  // up the connections before the last request has arrived on a busy machine.
  const limits: { sharedReadMs: number } = LIMITS;
  const pause = vi.spyOn(limits, 'sharedReadMs', 'get').mockReturnValue(60_000);
  onTestFinished(() => pause.mockRestore());
  const expected = { context: { slices: [{ name: 'slice-20240715-0000', status: 'processing' }] } };
  expect((await ask(ADA, REQUESTS)).data).toMatchObject(expected);
  const held = await holdTables(lab.databaseUrl, ['slices']);
  const statements = lab.watchStatements();
  const asked = () => statements().filter((text) => text === SELECT_SLICES).length;
  const reads = vi.spyOn(SharedReads.prototype, 'read');
  const requests = () => reads.mock.calls.filter(([name]) => name.startsWith('slices ')).length;
  const answers = Array.from({ length: REQUESTS }, (_, i) => ask(i % 2 === 0 ? ADA : BOB, i));
  await expect.poll(requests).toBe(REQUESTS);
  await held.release();
  for (const { data } of await Promise.all(answers)) expect(data).toMatchObject(expected);
  // The first ones read alone, and all others wait for one read.
  expect(asked()).toBe(LIMITS.sharedReads + 1);
});
