import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { group, guidOf } from '../support/lab/lab.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  const groups = [
    group(1, { name: 'Hosts' }),
    group(2, { name: 'Apps' }),
    group(3, { name: 'Apps' }),
  ];
  await writeFile(join(folder, 'lab.json'), JSON.stringify({ context: 'lab', groups }));
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
  await run('apply', join(folder, 'lab.json'));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) => runOnDatabase(args);

const add = (...more: string[]) => run('user', 'add', 'kim', '--context', 'lab', ...more);

const listed = async () => JSON.parse((await run('user', 'list', '--json')).out[0] ?? '');

describe('user add with a limit', () => {
  it('limits the grant, which user list and the audit show', async () => {
    const { err } = await add(
      '--only-network',
      '10.1.2.3/16',
      '--only-network',
      '2001:DB8::/32',
      '--only-probe',
      'p1',
      '--only-group',
      'Hosts',
      '--only-group',
      guidOf(2),
    );
    const limit =
      'only network 10.1.0.0/16, network 2001:db8::/32, probe p1, group Hosts, group Apps';
    expect(err[0]).toBe(`User kim was added, with context lab (reader, ${limit}).`);
    expect((await run('user', 'list')).out).toEqual([`kim: lab (reader, ${limit})`]);
    const groups = [
      { guid: guidOf(1), name: 'Hosts' },
      { guid: guidOf(2), name: 'Apps' },
    ];
    const only = {
      onlyNetworks: ['10.1.0.0/16', '2001:db8::/32'],
      onlyProbes: ['p1'],
      onlyGroups: groups,
    };
    const grant = { context: 'lab', role: 'reader', ...only };
    expect(await listed()).toEqual([{ name: 'kim', contexts: ['lab'], grants: [grant] }]);
    const audit = await rowsOf<{ action: string; detail: object }>(
      database.url,
      `select action, detail from audit where object = 'kim' order by audit_id`,
    );
    expect(audit).toMatchObject([
      { action: 'user added' },
      { action: 'access granted', detail: { context: 'lab', ...only } },
    ]);
  });

  it('replaces the limit before, keeps the role, and says so', async () => {
    await add('--role', 'editor', '--only-network', '10.0.0.1');
    expect((await add('--only-network', '10.9.0.0/16')).err).toEqual([
      'User kim already exists. Granted now: nothing. ' +
        'New limit: lab (editor, only network 10.9.0.0/16). Unchanged: nothing.',
    ]);
    expect((await add()).err).toEqual([
      'User kim already exists. Granted now: nothing. New limit: lab (editor). Unchanged: nothing.',
    ]);
  });

  it.each([
    [['--only-network', '10.0.0.0/33'], 'must be in CIDR form'],
    [['--only-network', 'example.com'], 'must be in CIDR form'],
    [['--only-group', 'Nothing'], 'has no counter group Nothing: its groups are Apps, Apps, Hosts'],
    [['--only-group', 'Apps'], `has 2 counter groups Apps: name one by its GUID, ${guidOf(2)}`],
  ])('refuses %j', async (given, error) => {
    const before = await listed();
    const { status, err } = await add(...given);
    expect([status, err.join('\n')]).toEqual([1, expect.stringContaining(error)]);
    expect(await listed()).toEqual(before);
  });

  it('refuses a limit without a context', async () => {
    const { status, err } = await run('user', 'add', 'kim', '--only-probe', 'p1');
    expect([status, err[0]]).toEqual([2, expect.stringContaining('a limit needs --context')]);
  });
});
