import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setAdmin } from '../../../access/accounts.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import { group, guidOf, startLab } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  type TestService,
} from '../../support/lab/service.ts';

const BOSS: Credentials = { username: 'boss', token: 'boss-token' };
const BOB: Credentials = { username: 'bob', token: 'bob-token' };

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  await lab.apply({ context: 'vault', groups: [] });
});

afterAll(() => lab.close());

beforeEach(async () => {
  await lab.sql(`delete from users where username <> '${ADA.username}'`);
  await lab.addUser(BOSS, []);
  await lab.addUser(BOB, [CONTEXT]);
  await lab.write((to) => setAdmin(to, { name: 'boss', isGroup: false, isAdmin: true }));
  await lab.sql('delete from audit');
});

const ask = (query: string, as = BOSS) => lab.graphql<never>(query, {}, basic(as));

const data = <T>(query: string, as = BOSS) => lab.data<T>(query, {}, as);

/** The message and the code of the only error. */
async function refusal(query: string, as = BOSS) {
  const { errors = [] } = await ask(query, as);
  return errors.map(({ message, extensions }) => [message, extensions?.['code']]);
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;

const SECONDS = expect.any(Number);

async function signIn({ username, token }: Credentials): Promise<string> {
  const { headers } = await lab.call('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ username, token }),
  });
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

/** Action, object and detail of the rows of the audit, with who made them. */
const audit = () =>
  rowsOf(
    lab.databaseUrl,
    `select username || ' from ' || came_from as by, action, object, detail from audit
     where username = 'boss' order by audit_id`,
  );

const by = 'boss from 127.0.0.1';

const ALL = `{ users {
  name shownName isGroup isAdmin
  grants { context role onlyNetworks onlyProbes onlyGroups }
  tokens { name created expires lastUsed }
  sessions { began ends token issuer } sessionCount
} }`;

describe('the users that an administrator sees', () => {
  it('are people and groups with their grants, tokens and sessions', async () => {
    await lab.sql(`insert into users (username, is_group, is_admin) values ('ops', true, true)`);
    await lab.sql(`update users set shown_name = 'Bob B.' where username = 'bob'`);
    await lab.sql(`update grants set role = 'editor', only_networks = '{10.0.0.0/8}',
      only_probes = '{west}', only_groups = '{4cd742b1-c1ca-4708-be78-0fca2eb01a86}'
      from users u where u.user_id = grants.user_id and u.username = 'bob'`);
    await signIn(BOB);
    const { users } = await data<{ users: { name: string }[] }>(ALL);
    expect(users.map(({ name }) => name)).toEqual(['ada', 'bob', 'boss', 'ops']);
    expect(users[1]).toEqual({
      name: 'bob',
      shownName: 'Bob B.',
      isGroup: false,
      isAdmin: false,
      grants: [
        {
          context: CONTEXT,
          role: 'EDITOR',
          onlyNetworks: ['10.0.0.0/8'],
          onlyProbes: ['west'],
          onlyGroups: ['{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}'],
        },
      ],
      tokens: [{ name: 'default', created: SECONDS, expires: null, lastUsed: null }],
      sessions: [{ began: SECONDS, ends: SECONDS, token: 'default', issuer: null }],
      sessionCount: 1,
    });
    expect(users[3]).toMatchObject({ isGroup: true, isAdmin: true, grants: [], tokens: [] });
  });

  it('are only those with the given names', async () => {
    const query = '{ users(names: ["bob", "nobody", "a\\u0000"]) { name } }';
    expect(await data(query)).toEqual({ users: [{ name: 'bob' }] });
  });

  it('cost three statements, however many they are', async () => {
    const cost = async () => {
      const statements = lab.watchStatements();
      await data(ALL);
      return statements().filter((text) => /\b(from|join) (users|tokens|sessions)\b/.test(text));
    };
    const few = await cost();
    await lab.sql(`insert into users (username) select 'user ' || n from generate_series(1, 50) n`);
    expect((await cost()).length).toBe(few.length);
    // The fourth identifies the caller.
    expect(few.length).toBe(4);
  });

  it('are those of now, also when the same question was asked before', async () => {
    const query = '{ users { name isAdmin } viewer { isAdmin } }';
    await Promise.all([data(query), data(query)]);
    await lab.sql(`update users set is_admin = true where username = 'bob'`);
    expect(await data(query)).toMatchObject({
      users: [{ name: 'ada' }, { name: 'bob', isAdmin: true }, { name: 'boss' }],
    });
  });

  it('grant them no context', async () => {
    expect(await data(`{ contexts { name } context(name: "${CONTEXT}") { name } }`)).toEqual({
      contexts: [],
      context: null,
    });
  });
});

describe('whoever is no administrator', () => {
  it('knows that from the viewer, also after it has changed', async () => {
    const query = '{ viewer { isAdmin } }';
    expect(await data(query, BOB)).toEqual({ viewer: { isAdmin: false } });
    await lab.write((to) => setAdmin(to, { name: 'bob', isGroup: false, isAdmin: true }));
    expect(await data(query, BOB)).toEqual({ viewer: { isAdmin: true } });
  });

  it.each([
    '{ viewer { username } users { name } }',
    '{ viewer { username } audit { action } }',
    'mutation { addUser(name: "eve") { name } }',
    'mutation { removeUser(name: "nobody") }',
    'mutation { removeUser(name: "boss") }',
    'mutation { setAdmin(name: "bob", isAdmin: true) { name } }',
    `mutation { saveGrant(user: "bob", context: "vault") { name } }`,
    `mutation { revokeGrant(user: "ada", context: "${CONTEXT}") { name } }`,
    'mutation { makeToken(user: "boss", name: "x") { token } }',
    'mutation { revokeToken(user: "boss", name: "default") { name } }',
    'mutation { endSessions(user: "boss") }',
  ])('is refused, and learns nothing: %s', async (query) => {
    const before = await lab.sql('select * from users order by user_id');
    const { status, data: answer, errors } = await ask(query, BOB);
    expect([status, errors?.length]).toEqual([200, 1]);
    expect(errors?.[0]).toMatchObject({
      message: 'User bob is not an administrator',
      extensions: { code: 'FORBIDDEN' },
    });
    expect(Object.values(answer).at(-1)).toBeNull();
    expect(await lab.sql('select * from users order by user_id')).toEqual(before);
    expect((await lab.graphql(query, {}, {})).status).toBe(401);
  });
});

describe('an administrator', () => {
  it('adds users and groups', async () => {
    const { person, ops } = await data<{ person: object; ops: object }>(`mutation {
      person: addUser(name: "eve") { name isGroup isAdmin tokens { name } grants { context } }
      ops: addUser(name: "ops", isGroup: true, isAdmin: true) { name isGroup isAdmin } }`);
    expect(person).toEqual({ name: 'eve', isGroup: false, isAdmin: false, tokens: [], grants: [] });
    expect(ops).toEqual({ name: 'ops', isGroup: true, isAdmin: true });
    expect(await audit()).toEqual([
      { by, action: 'user added', object: 'eve', detail: {} },
      { by, action: 'user added', object: 'ops', detail: { isGroup: true } },
      { by, action: 'administrator added', object: 'ops', detail: { isGroup: true } },
    ]);
    expect(lab.logText()).toMatch(/"mutation":"addUser","object":"eve".*a change was made/);
  });

  it('makes tokens, which are returned once, and revokes them', async () => {
    const expires = inAnHour();
    const { makeToken } = await data<{ makeToken: { token: string } }>(
      `mutation { makeToken(user: "bob", name: "grafana", expires: ${expires}) {
        name token expires } }`,
    );
    expect(makeToken).toEqual({
      name: 'grafana',
      token: expect.stringMatching(/^[\w-]{43}$/),
      expires,
    });
    const grafana = { ...BOB, token: makeToken.token };
    expect(await data('{ viewer { username } }', grafana)).toEqual({ viewer: { username: 'bob' } });
    const revoke = 'mutation { revokeToken(user: "bob", name: "grafana") { tokens { name } } }';
    expect(await data(revoke)).toEqual({ revokeToken: { tokens: [{ name: 'default' }] } });
    expect((await ask('{ viewer { username } }', grafana)).status).toBe(401);
    const detail = { token: 'grafana', expires: new Date(expires * 1000).toISOString() };
    expect(await audit()).toEqual([
      { by, action: 'token made', object: 'bob', detail },
      { by, action: 'token revoked', object: 'bob', detail },
    ]);
    expect(lab.logText()).not.toContain(makeToken.token);
  });

  it('grants contexts, or a part of them, to users and groups', async () => {
    await lab.sql("insert into users (username, is_group) values ('ops', true)");
    const save = (args: string) =>
      data<{ saveGrant: { grants: object[] } }>(`mutation { saveGrant(${args}) {
        grants { context role onlyNetworks onlyProbes onlyGroups } } }`);
    const whole = { onlyNetworks: null, onlyProbes: null, onlyGroups: null };
    const ops = await save('user: "ops", isGroup: true, context: "vault"');
    expect(ops.saveGrant.grants).toEqual([{ context: 'vault', role: 'READER', ...whole }]);
    const guid = guidOf(1);
    const only = `onlyNetworks: ["10.1.2.3/8"], onlyProbes: ["west"], onlyGroups: ["${guid}"]`;
    const bob = await save(`user: "bob", context: "${CONTEXT}", role: EDITOR, ${only}`);
    expect(bob.saveGrant.grants).toEqual([
      {
        context: CONTEXT,
        role: 'EDITOR',
        onlyNetworks: ['10.0.0.0/8'],
        onlyProbes: ['west'],
        onlyGroups: [guid],
      },
    ]);
    const again = await save(`user: "bob", context: "${CONTEXT}"`);
    expect(again.saveGrant.grants).toEqual([{ context: CONTEXT, role: 'READER', ...whole }]);
    expect(await audit()).toMatchObject([
      { by, action: 'access granted', object: 'ops', detail: { isGroup: true } },
      { by, action: 'role changed', object: 'bob', detail: { role: 'editor' } },
      { by, action: 'limit changed', object: 'bob', detail: { onlyProbes: ['west'] } },
      { by, action: 'role changed', object: 'bob', detail: { role: 'reader' } },
      { by, action: 'limit changed', object: 'bob', detail: { context: CONTEXT } },
    ]);
  });

  it('ends sessions, revokes grants, and removes users', async () => {
    const cookie = await signIn(BOB);
    await signIn(BOB);
    expect(await data('mutation { endSessions(user: "bob") }')).toEqual({ endSessions: 2 });
    const { text } = await lab.call('/session', { headers: { cookie } });
    expect(JSON.parse(text)).toEqual({ username: null });
    expect(
      await data(`mutation { revokeGrant(user: "bob", context: "${CONTEXT}") {
        grants { context } } }`),
    ).toEqual({ revokeGrant: { grants: [] } });
    expect(await data('mutation { removeUser(name: "bob") }')).toEqual({ removeUser: true });
    expect(await data('{ users { name } }')).toEqual({
      users: [{ name: 'ada' }, { name: 'boss' }],
    });
    expect(await audit()).toEqual([
      { by, action: 'session ended', object: 'bob', detail: {} },
      { by, action: 'session ended', object: 'bob', detail: {} },
      { by, action: 'access revoked', object: 'bob', detail: { context: CONTEXT } },
      { by, action: 'user removed', object: 'bob', detail: {} },
    ]);
  });

  it('makes others administrators, and takes that back', async () => {
    const set = (isAdmin: boolean) =>
      data(`mutation { setAdmin(name: "bob", isAdmin: ${isAdmin}) { isAdmin } }`);
    expect(await set(true)).toEqual({ setAdmin: { isAdmin: true } });
    expect((await ask('{ users { name } }', BOB)).errors).toBeUndefined();
    expect(await set(false)).toEqual({ setAdmin: { isAdmin: false } });
    expect((await ask('{ users { name } }', BOB)).errors).toHaveLength(1);
  });

  it.each([
    ['addUser(name: "bob") { name }', 'There is a user bob already'],
    [
      'setAdmin(name: "bob", isGroup: true, isAdmin: true) { name }',
      'Nothing is granted to a group bob',
    ],
    ['saveGrant(user: "nobody", context: "vault") { name }', 'There is no user nobody'],
    [
      'saveGrant(user: "bob", context: "nowhere") { name }',
      'There is no context nowhere (the contexts are lab, vault)',
    ],
    [
      'saveGrant(user: "bob", context: "vault", onlyNetworks: ["10/8"]) { name }',
      'A network must be in CIDR form, such as 192.168.1.0/24 or 2001:db8::/32, got "10/8"',
    ],
    ['removeUser(name: "nobody")', 'There is no user nobody'],
    ['endSessions(user: "nobody")', 'There is no user nobody'],
    [
      'revokeGrant(user: "bob", context: "vault") { name }',
      'User bob has no grant for context vault',
    ],
    [
      'revokeGrant(user: "bob", context: "nowhere") { name }',
      'There is no context nowhere (the contexts are lab, vault)',
    ],
    ['makeToken(user: "bob", name: "default") { token }', 'User bob has a token default already'],
    [
      'revokeToken(user: "bob", name: "x") { name }',
      'User bob has no token x (there are: default)',
    ],
  ])('is told what is wrong with %s', async (mutation, reason) => {
    expect(await refusal(`mutation { ${mutation} }`)).toEqual([
      [`The change cannot be made - ${reason}`, 'BAD_USER_INPUT'],
    ]);
    expect(await audit()).toEqual([]);
  });

  it.each([
    ['addUser(name: "a:b") { name }', /^name must be a name of .* without colons, got "a:b"/],
    ['addUser(name: " ", isGroup: true) { name }', /^name must be a name of/],
    ['makeToken(user: "bob", name: "") { token }', /^name must be a name of 1 to 100/],
    [
      'saveGrant(user: "bob", context: "lab", onlyProbes: ["a\\u0000"]) { name }',
      /^probes must be a text without the character NUL/,
    ],
    ['removeUser(name: "a\\u0000")', /^name must be a text without the character NUL/],
    ['makeToken(user: "bob", name: "x", expires: 1) { token }', /must expire in the future/],
  ])('is told what a value must be: %s', async (mutation, message) => {
    const [[text, code] = []] = await refusal(`mutation { ${mutation} }`);
    expect([text, code]).toEqual([expect.stringMatching(message), 'BAD_USER_INPUT']);
  });

  it.each([
    'removeUser(name: "boss")',
    'setAdmin(name: "boss", isAdmin: false) { name }',
    'revokeToken(user: "boss", name: "default") { name }',
  ])('is not locked out: %s', async (mutation) => {
    expect(await refusal(`mutation { ${mutation} }`)).toEqual([
      [
        'The change cannot be made - it would lock you out, let another administrator make it',
        'BAD_USER_INPUT',
      ],
    ]);
    expect(await data('{ viewer { isAdmin } }')).toEqual({ viewer: { isAdmin: true } });
    expect(await audit()).toEqual([]);
  });

  it('cannot lose the right to another one who loses it at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      await lab.sql('update users set is_admin = true where username in ($1, $2)', ['boss', 'bob']);
      const taking = (name: string) =>
        `mutation { setAdmin(name: "${name}", isAdmin: false) { name } }`;
      await Promise.all([ask(taking('bob')), ask(taking('boss'), BOB)]);
      expect(await lab.sql('select username from users where is_admin')).toHaveLength(1);
    }
  });

  it('by a group is not locked out by what happens to it', async () => {
    await lab.sql(`insert into users (username, is_group, is_admin) values ('ops', true, true)`);
    const cookie = await signIn(BOB);
    await lab.sql(`update sessions s set groups = '{ops}' from users u
      where u.user_id = s.user_id and u.username = 'bob'`);
    const inSession = (query: string) =>
      lab.graphql<never>(query, {}, { cookie, 'sec-fetch-site': 'same-origin' });
    expect((await inSession('{ viewer { isAdmin } }')).data).toEqual({ viewer: { isAdmin: true } });
    const { errors } = await inSession('mutation { removeUser(name: "ops", isGroup: true) }');
    expect(errors?.[0]?.message).toContain('it would lock you out');
    await inSession('mutation { addUser(name: "eve") { name } }');
    expect(await data('{ users(names: ["eve"]) { name } }')).toEqual({ users: [{ name: 'eve' }] });
  });
});

describe('the audit that an administrator sees', () => {
  it('is newest first, since a time, of a user, and not longer than was asked for', async () => {
    await data('mutation { addUser(name: "eve") { name } }');
    await lab.sql(`insert into audit (at, username, came_from, action, object, detail)
      values ('2020-01-01', 'old', 'host', 'keys changed', 'x', '{"keys": [1], "a": "b"}')`);
    const list = async (args: string) => {
      const fields = 'at user from action object details { name value }';
      return (await data<{ audit: object[] }>(`{ audit${args} { ${fields} } }`)).audit;
    };
    const [newest] = await list('');
    expect(newest).toEqual({
      at: SECONDS,
      user: 'boss',
      from: '127.0.0.1',
      action: 'user added',
      object: 'eve',
      details: [],
    });
    expect((await list('')).at(-1)).toMatchObject({
      at: 1_577_836_800,
      details: [
        { name: 'a', value: 'b' },
        { name: 'keys', value: '[1]' },
      ],
    });
    expect(await list('(user: "boss")')).toEqual([newest]);
    expect(await list('(maxItems: 1)')).toEqual([newest]);
    expect(await list('(since: 1577836801)')).toEqual((await list('')).slice(0, -1));
    expect(await list('(user: "a\\u0000")')).toEqual([]);
    expect(await refusal('{ audit(maxItems: 1001) { at } }')).toEqual([
      ['maxItems must be an integer from 0 to 1000, got 1001', 'BAD_USER_INPUT'],
    ]);
  });
});
