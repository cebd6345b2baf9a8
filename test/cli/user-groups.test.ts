import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

const ISSUER = 'https://id.example.com/';

let database: TestDatabase;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
  for (const context of ['lab', 'office']) {
    await writeFile(join(folder, 'context.json'), JSON.stringify({ context }));
    await run('apply', join(folder, 'context.json'));
  }
  await rm(folder, { recursive: true });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});

const run = (...args: string[]) => runOnDatabase(args);

const sql = (text: string) =>
  withClient(database.url, async (client) => (await client.query(text)).rows);

beforeEach(() => sql('delete from users; delete from audit'));

const audit = () => sql('select action, object, detail from audit order by audit_id');

describe('user add --group', () => {
  it('grants contexts to a group, which has no token and may have the name of a user', async () => {
    await run('user', 'add', 'net', '--context', 'lab');
    const added = await run('user', 'add', '--group', 'net', '--context', 'office');
    expect(added).toEqual({
      status: 0,
      out: [],
      err: ['Group net was added, with context office (reader).'],
    });
    const more = await run('user', 'add', '--group', 'net', '--context', 'lab', '--role', 'editor');
    expect(more.err).toEqual([
      'Group net already exists. Granted now: lab (editor). Unchanged: office (reader).',
    ]);
    expect((await run('user', 'list')).out).toEqual([
      'net: lab (reader)',
      'group net: lab (editor), office (reader)',
    ]);
    expect(JSON.parse((await run('user', 'list', '--json')).out[0] ?? '')).toMatchObject([
      { name: 'net', contexts: ['lab'] },
      { name: 'net', isGroup: true, contexts: ['lab', 'office'] },
    ]);
    expect((await audit()).slice(2)).toEqual([
      { action: 'user added', object: 'net', detail: { isGroup: true } },
      {
        action: 'access granted',
        object: 'net',
        detail: { context: 'office', role: 'reader', isGroup: true },
      },
      {
        action: 'access granted',
        object: 'net',
        detail: { context: 'lab', role: 'editor', isGroup: true },
      },
    ]);
  });

  it('says how to grant a context if it grants none', async () => {
    const { err } = await run('user', 'add', '--group', 'Net Ops');
    expect(err).toEqual([
      'Group Net Ops was added, and may read no context yet: ' +
        "`npx countergraph user add --group 'Net Ops' --context NAME` grants one.",
    ]);
  });

  it('makes users of the group administrators, or no longer', async () => {
    const { err } = await run('user', 'add', '--group', 'ops', '--admin');
    expect(err[1]).toBe('Users in group ops are administrators.');
    expect((await run('user', 'list')).out).toEqual(['group ops (administrator): no contexts']);
    await run('user', 'add', '--group', 'ops', '--no-admin');
    expect((await run('user', 'list')).out).toEqual(['group ops: no contexts']);
  });

  it.each([
    [['add', 'mika', '--group', 'net'], 'name either a user or a --group'],
    [['add'], 'name either a user or a --group'],
    [['add', '--group', 'net', '--token', 'a-token-of-some-length'], 'cannot be used with'],
    [['add', '--group', 'net', '--legacy-token', 'x'], 'cannot be used with'],
    [['revoke', '--context', 'lab'], 'name either a user or a --group'],
    [['remove', 'mika', '--group', 'net'], 'name either a user or a --group'],
  ])('is refused as user %j', async (args, message) => {
    const { status, err } = await run('user', ...args);
    expect([status, err.join('\n')]).toEqual([2, expect.stringContaining(message)]);
    expect(await sql('select from users')).toEqual([]);
  });
});

describe('a group', () => {
  it('loses a context, and is removed, without the user of that name', async () => {
    await run('user', 'add', 'net', '--context', 'lab');
    await run('user', 'add', '--group', 'net', '--context', 'lab');
    expect((await run('user', 'revoke', '--group', 'net', '--context', 'lab')).out).toEqual([
      'Group net can no longer read context lab.',
    ]);
    expect((await run('user', 'list')).out).toEqual([
      'net: lab (reader)',
      'group net: no contexts',
    ]);
    expect(await run('user', 'revoke', '--group', 'net', '--context', 'lab')).toMatchObject({
      status: 1,
      err: [expect.stringContaining('Group net has no grant for context lab')],
    });
    expect((await run('user', 'remove', '--group', 'net')).out).toEqual(['Group net was removed.']);
    expect((await run('user', 'list')).out).toEqual(['net: lab (reader)']);
    expect(await run('user', 'remove', '--group', 'net')).toMatchObject({
      status: 1,
      err: [expect.stringContaining('Nothing is granted to a group net')],
    });
    expect((await audit()).slice(-2)).toEqual([
      { action: 'access revoked', object: 'net', detail: { context: 'lab', isGroup: true } },
      { action: 'user removed', object: 'net', detail: { isGroup: true } },
    ]);
  });
});

describe('user link', () => {
  it('makes a user the person of a provider, until user unlink', async () => {
    await run('user', 'add', 'ada', '--context', 'lab');
    const link = ['user', 'link', 'ada', '--subject', '4711', '--issuer', 'https://id.example.com'];
    expect((await run(...link)).out).toEqual([`4711 of ${ISSUER} now signs in as user ada.`]);
    expect((await run('user', 'list')).out).toEqual([
      `ada: lab (reader); signs in at ${ISSUER} as 4711`,
    ]);
    expect(JSON.parse((await run('user', 'list', '--json')).out[0] ?? '')).toMatchObject([
      { name: 'ada', issuer: ISSUER, subject: '4711' },
    ]);
    expect((await run('user', 'unlink', 'ada')).out).toEqual([
      'Nobody of an identity provider signs in as user ada any more.',
    ]);
    expect((await run('user', 'list')).out).toEqual(['ada: lab (reader)']);
    expect(await run('user', 'unlink', 'ada')).toMatchObject({
      status: 1,
      err: [expect.stringContaining('User ada is no person of an identity provider')],
    });
    expect((await audit()).slice(-2)).toEqual([
      { action: 'user linked', object: 'ada', detail: { issuer: ISSUER, subject: '4711' } },
      { action: 'user unlinked', object: 'ada', detail: {} },
    ]);
  });

  it('takes the provider of the settings, if there is one', async () => {
    await run('user', 'add', 'ada');
    const link = () => run('user', 'link', 'ada', '--subject', '4711', '--json');
    expect(await link()).toMatchObject({
      status: 2,
      err: [expect.stringContaining('--issuer is needed')],
    });
    vi.stubEnv('COUNTERGRAPH_OIDC_ISSUER', 'https://id.example.com');
    vi.stubEnv('COUNTERGRAPH_OIDC_CLIENT_ID', 'countergraph');
    vi.stubEnv('COUNTERGRAPH_PUBLIC_URL', 'https://counters.example.com');
    const { out } = await link();
    for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'PUBLIC_URL']) {
      vi.stubEnv(`COUNTERGRAPH_${name}`, undefined);
    }
    expect(JSON.parse(out[0] ?? '')).toEqual({ name: 'ada', issuer: ISSUER, subject: '4711' });
  });

  it('is refused for somebody who is another user already, and for a user that there is not', async () => {
    await run('user', 'add', 'ada');
    await run('user', 'add', 'mika');
    const link = (name: string) =>
      run('user', 'link', name, '--subject', '4711', '--issuer', ISSUER);
    await link('mika');
    expect(await link('ada')).toMatchObject({
      status: 1,
      err: [expect.stringContaining(`User mika is 4711 of ${ISSUER} already`)],
    });
    expect(await link('nobody')).toMatchObject({
      status: 1,
      err: [expect.stringContaining('There is no user nobody')],
    });
  });
});
