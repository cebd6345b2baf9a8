import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SharedReads } from '../../../db/session/shared-reads.ts';
import { SELECT_IDENTITY } from '../../../db/sql/identity.ts';
import { countWaiting, holdTables } from '../../support/database/held-tables.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

const MORE = 20;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

it('concurrent requests with the same credentials share the lookup of their user', async () => {
  const held = await holdTables(lab.databaseUrl, ['users']);
  const statements = lab.watchStatements();
  const reads = vi.spyOn(SharedReads.prototype, 'read');
  const first = lab.ok('groups');
  while ((await countWaiting(lab.databaseUrl)) < 1) await delay(5);
  const others = Array.from({ length: MORE }, () => lab.ok('groups'));
  await expect.poll(() => reads.mock.calls.length).toBe(1 + MORE);
  await held.release();
  await Promise.all([first, ...others]);
  const identified = statements().filter((text) => text === SELECT_IDENTITY);
  expect(identified.length).toBeGreaterThan(0);
  expect(identified.length).toBeLessThan(MORE / 2);
});
