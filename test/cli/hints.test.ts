import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { invocation } from '../../cli/invocation.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-hints-'));
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
  await rm(folder, { recursive: true });
});

describe('a hint that names a command', () => {
  it('shows it as the user would type it, even for a line that is skipped', async () => {
    const log = join(folder, 'dns.log');
    await writeFile(log, '#path\tdns\n');
    const options = ['--context', 'lab', '--format', 'zeek', '--skip-bad-lines'];
    const { err } = await runOnDatabase(['import', ...options, log]);
    // The tests run in a checkout.
    expect(invocation()).toBe('npx countergraph');
    expect(err[0]).toBe(
      `${log}, line 1 was skipped: #path must be conn, got "dns": ` +
        'give the file to `npx countergraph labels --format zeek-dns`',
    );
  });
});
