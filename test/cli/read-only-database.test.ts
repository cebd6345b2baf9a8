import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { addUser } from '../../access/users.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { makeReady, withClient } from '../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../support/database/standby.ts';
import { importLines } from '../support/files/import-lines.ts';
import { group, T0 } from '../support/lab/lab.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

let primary: Primary;
let standby: Standby;
let folder: string;

const HOSTS = group(1);
const LINE = { group: HOSTS.guid, key: 'a', ts: T0, values: { 0: 1 } };

beforeAll(async () => {
  primary = await startPrimary();
  await makeReady(primary.url);
  await withClient(primary.url, async (client) => {
    await applyDeclaration(client, { context: 'lab', groups: [HOSTS] });
    await addUser(client, { name: 'ada', token: 'ada', contexts: ['lab'] });
  });
  for (const value of [1, 2, 3]) {
    await importLines(primary.url, 'lab', [{ ...LINE, values: { 0: value } }]);
  }
  standby = await startStandby(primary);
  await standby.waitUntilCaughtUp();
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  await writeFile(join(folder, 'lab.json'), JSON.stringify({ context: 'lab', retention_days: 30 }));
  await writeFile(join(folder, 'lines'), `${JSON.stringify({ ...LINE, values: { 0: 4 } })}\n`);
  await writeFile(join(folder, 'labels.csv'), 'key,label\na,b\n');
  vi.stubEnv('DATABASE_URL', standby.url);
}, 120_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  if (folder) await rm(folder, { recursive: true });
  await standby?.remove();
  await primary?.remove();
});

it.each([
  ['import', '--context', 'lab', '--format', 'samples', 'FOLDER/lines'],
  ['labels', '--context', 'lab', '--group', HOSTS.guid, '--format', 'csv', 'FOLDER/labels.csv'],
  ['compact', '--context', 'lab'],
  ['rebuild', '--context', 'lab'],
  ['apply', 'FOLDER/lab.json'],
  ['user', 'add', 'bob', '--context', 'lab'],
  ['user', 'rotate', 'ada'],
  ['user', 'revoke', 'ada', '--context', 'lab'],
  ['user', 'remove', 'ada'],
  ['slices', 'drop', '--context', 'lab', '--before', '2030-01-01', '--confirm', 'lab'],
])('%s %s on a standby says that only its primary accepts changes', async (...command) => {
  const parameters = command.map((each) => each.replace('FOLDER', folder));
  expect(await runOnDatabase(parameters)).toEqual({
    status: 1,
    out: [],
    err: [
      'countergraph: Database is read-only, its primary accepts changes: set DATABASE_URL to the ' +
        "primary's address",
    ],
  });
});
