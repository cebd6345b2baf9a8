import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { reportFailure } from '../../cli/report-failure.ts';
import { DAY, group, startLab, T0 } from '../support/lab/lab.ts';
import { basic, CONTEXT, startTestService, type TestService } from '../support/lab/service.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

const HOSTS = group(1);
const LINE = { group: HOSTS.guid, key: 'a', ts: T0, values: { 0: 1 } };
const ROLE = `reader_${randomBytes(6).toString('hex')}`;

let lab: TestService;
let folder: string;

beforeAll(async () => {
  lab = await startLab({ groups: [HOSTS], lines: [LINE] });
  await lab.sql(`create role ${ROLE} login password 'reads'`);
  await lab.sql(`grant select on all tables in schema public to ${ROLE}`);
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  await writeFile(join(folder, 'lab.json'), JSON.stringify({ context: 'lab', retention_days: 30 }));
  await writeFile(join(folder, 'lines'), `${JSON.stringify({ ...LINE, ts: T0 + 60 })}\n`);
  await writeFile(join(folder, 'labels.csv'), 'key,label\na,b\n');
  const url = new URL(lab.databaseUrl);
  url.username = ROLE;
  url.password = 'reads';
  vi.stubEnv('DATABASE_URL', url.href);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await lab.sql(`drop owned by ${ROLE}`);
  await lab.sql(`drop role ${ROLE}`);
  await lab.close();
  await rm(folder, { recursive: true });
});

const ADVICE =
  /\(permission denied for (table|sequence) \w+\): set DATABASE_URL to the role that owns the tables of countergraph; a role with nothing but SELECT on them can only serve, export and verify$/;

describe('a role that may only read', () => {
  it.each([
    ['import', '--context', 'lab', '--format', 'samples', 'FOLDER/lines'],
    ['labels', '--context', 'lab', '--group', HOSTS.guid, '--format', 'csv', 'FOLDER/labels.csv'],
    ['rebuild', '--context', 'lab'],
    ['apply', 'FOLDER/lab.json'],
    ['user', 'add', 'bob', '--context', 'lab'],
    ['user', 'remove', 'ada'],
    ['slices', 'drop', '--context', 'lab', '--before', '2030-01-01', '--confirm', 'lab'],
  ])('is told by %s %s which role to use', async (...command) => {
    const { status, out, err } = await runOnDatabase(
      command.map((each) => each.replace('FOLDER', folder)),
    );
    expect([status, out, err.length]).toEqual([1, [], 1]);
    expect(err[0]).toMatch(ADVICE);
    expect(err[0]).toContain(`countergraph: Role ${ROLE} lacks a right (`);
  });

  it.each([
    ['verify', '--context', 'lab'],
    ['export', '--context', 'lab'],
  ])('can %s', async (...command) => {
    expect((await runOnDatabase(command)).status).toBe(0);
  });
});

it('a server whose role may only read leaves all upkeep alone, and says so once', async () => {
  const reader = await startTestService({ databaseUrl: process.env['DATABASE_URL'] ?? '' });
  try {
    await lab.apply({ context: CONTEXT, retention_days: 1 });
    await lab.importSamples([{ ...LINE, ts: T0 + 9 * DAY }]);
    await reader.graphql('{ viewer { username } }', {}, basic({ username: 'eve', token: 'no' }));
    for (let pass = 0; pass < 2; pass += 1) {
      await reader.keepAuditNow();
      await reader.mergeNow();
      await reader.dropExpiredNow();
      await reader.decideAlertsNow();
    }
    const logged = reader
      .logText()
      .split('\n')
      .filter((line) => /"level":[4-6]0/.test(line));
    expect(logged).toEqual([
      expect.stringContaining('upkeep is off, because the role in DATABASE_'),
    ]);
    expect(await lab.sql('select from slices')).toHaveLength(2);
  } finally {
    await reader.close();
  }
});

it('a role that the address does not name is not named', () => {
  const lines: string[] = [];
  const print = vi.spyOn(console, 'error').mockImplementation((text) => void lines.push(text));
  vi.stubEnv('DATABASE_URL', 'postgresql:///countergraph');
  const denied = new Error('permission denied for table users');
  expect(reportFailure(Object.assign(denied, { code: '42501' }))).toBe(1);
  print.mockRestore();
  expect(lines).toEqual([
    expect.stringMatching(/^countergraph: The role in DATABASE_URL lacks a right \(permission/),
  ]);
});
