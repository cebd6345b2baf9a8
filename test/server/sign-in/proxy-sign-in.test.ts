import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeUser } from '../../../access/users.ts';
import { openStream } from '../../support/http/event-stream.ts';
import { RawConnection } from '../../support/http/raw-connection.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  startTestService,
  type TestService,
} from '../../support/lab/service.ts';

const GROUP = guidOf(1);

const proxySignIn = { userHeader: 'x-forwarded-user', groupsHeader: 'x-forwarded-groups' };

const OWN = { 'sec-fetch-site': 'same-origin' };

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 7 } }],
    settings: { proxySignIn, trustProxy: ['127.0.0.1'], explorer: 'signed-in' },
  });
  await lab.sql(`with g as (
      insert into users (username, is_group) values ('net', true) returning user_id)
    insert into grants (user_id, context_id) select user_id, context_id from g, contexts`);
});

afterAll(() => lab.close());

const VIEWER = '{ viewer { username contexts { name } } }';

const as = (user: string, groups?: string): Record<string, string> => ({
  ...OWN,
  'x-forwarded-user': user,
  ...(groups !== undefined && { 'x-forwarded-groups': groups }),
});

const viewerOf = async (headers: Record<string, string>, at = lab) => {
  const { status, data } = await at.graphql<{ viewer: unknown }>(VIEWER, {}, headers);
  return status === 200 ? data.viewer : status;
};

const whoIs = async (headers: Record<string, string>) =>
  JSON.parse((await lab.call('/session', { headers })).text).username;

/** Sends these lines as they are: clients write other bytes, and join headers. */
async function sendRaw(lines: readonly string[]): Promise<string> {
  const connection = await RawConnection.open(lab.url);
  const body = JSON.stringify({ query: VIEWER });
  const head = [
    'POST /graphql HTTP/1.1',
    'host: x',
    'connection: close',
    'sec-fetch-site: same-origin',
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...lines,
  ];
  connection.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await connection.closed();
  return connection.received;
}

describe('a user whom a trusted proxy names', () => {
  it('is signed in, on pages and in GraphQL', async () => {
    expect(await viewerOf(as('ada'))).toEqual({ username: 'ada', contexts: [{ name: CONTEXT }] });
    expect(await whoIs(as('ada'))).toBe('ada');
    const explorer = await lab.call('/graphql', { headers: { ...as('ada'), accept: 'text/html' } });
    expect(explorer.text).toContain('id="explorer"');
  });

  it('is a user without grants the first time, which is in the audit', async () => {
    const both = await Promise.all([viewerOf(as('mika')), viewerOf(as('mika'))]);
    const mika = { username: 'mika', contexts: [] };
    expect(both).toEqual([mika, mika]);
    await lab.keepAuditNow();
    const rows = await lab.sql(
      `select action, username, detail from audit where object = 'mika' order by audit_id`,
    );
    expect(rows).toEqual([{ action: 'user added', username: 'mika', detail: { proxy: true } }]);
  });

  it('has what is granted to the groups that the proxy names', async () => {
    expect(await viewerOf(as('mika', 'ops, net'))).toEqual({
      username: 'mika',
      contexts: [{ name: CONTEXT }],
    });
    expect(await viewerOf(as('mika', 'ops'))).toEqual({ username: 'mika', contexts: [] });
  });

  it('is an administrator if one of the groups is', async () => {
    await lab.sql(`insert into users (username, is_group, is_admin) values ('admins', true, true)`);
    const addUser = 'mutation { addUser(name: "added") { name } }';
    const { data } = await lab.graphql(addUser, {}, as('mika', 'admins'));
    expect(data).toEqual({ addUser: { name: 'added' } });
    const refused = await lab.graphql(addUser, {}, as('mika', 'net'));
    expect(refused.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('may have a name beyond ASCII, which proxies send in UTF-8', async () => {
    const sent = Buffer.from('Häkkinen, Mika').toString('latin1');
    const answer = await sendRaw([`x-forwarded-user: ${sent}`]);
    expect(answer).toContain(Buffer.from('"username":"Häkkinen, Mika"').toString('latin1'));
    expect(await sendRaw(['x-forwarded-user: \xff'])).toContain('401 Unauthorized');
  });

  it.each([['a:b'], [' '], ['a'.repeat(201)]])(
    'is nobody if no user may be called that: %j',
    async (name) => {
      expect(await viewerOf(as(name))).toBe(401);
    },
  );

  it('counts more than the session of the browser, and less than a token', async () => {
    const signedIn = await lab.call('/session', {
      method: 'POST',
      headers: { ...OWN, 'content-type': 'application/json' },
      body: JSON.stringify(ADA),
    });
    const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect(await whoIs({ ...OWN, cookie })).toBe('ada');
    expect(await whoIs({ ...as('mika'), cookie })).toBe('mika');
    expect(await viewerOf({ ...as('mika'), ...basic(ADA) })).toMatchObject({ username: 'ada' });
    const out = await lab.call('/session', { method: 'DELETE', headers: as('mika') });
    expect(out.status).toBe(200);
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another origin', { origin: 'https://elsewhere.example.com' }],
    ['that does not say where it comes from', {}],
  ])('is not believed in a request %s, which a page elsewhere may have caused', async (_, from) => {
    const { 'sec-fetch-site': _site, ...headers } = as('ada');
    expect(await viewerOf({ ...headers, ...from })).toBe(403);
  });

  it('needs a token for REST, metrics and MCP', async () => {
    const path = `${lab.path('topper')}?context=${CONTEXT}&counter_group=${GROUP}`;
    const rest = await lab.call(path, { headers: as('ada') });
    const metrics = await lab.call(`/metrics/toppers?context=${CONTEXT}`, { headers: as('ada') });
    const mcp = await lab.call('/mcp', {
      method: 'POST',
      headers: { ...as('ada'), 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    expect([rest.status, metrics.status, mcp.status]).toEqual([401, 401, 401]);
  });

  it('follows live until removed, or no longer granted anything', async () => {
    await lab.addUser({ username: 'live', token: 'live-token' }, [CONTEXT]);
    const changes = `subscription { it: contextChanged(name: "${CONTEXT}") { name } }`;
    const open = async (headers: Record<string, string>) => {
      const stream = await openStream(lab.url, changes, { headers });
      await expect.poll(() => stream.messages.length).toBe(1);
      return stream;
    };
    const streams = [await open(as('live')), await open(as('mika', 'net'))];
    await lab.write((connection) => removeUser(connection, 'live'));
    await streams[0]?.ended;
    expect(streams[1]?.messages.length).toBe(1);
    await lab.sql(`delete from grants g using users u where u.user_id = g.user_id and is_group`);
    await streams[1]?.ended;
    expect(streams.map((stream) => stream.messages.at(-1))).toEqual([
      expect.objectContaining({ event: 'complete' }),
      expect.objectContaining({ event: 'complete' }),
    ]);
  });
});

describe('the header of a proxy', () => {
  it('is ignored if it comes from anywhere else', async () => {
    const other = await startTestService({
      databaseUrl: lab.databaseUrl,
      settings: { proxySignIn, trustProxy: ['192.0.2.1'] },
    });
    try {
      expect(await viewerOf(as('ada'), other)).toBe(401);
      // The address that a caller claims to come through does not count.
      expect(await viewerOf({ ...as('ada'), 'x-forwarded-for': '192.0.2.1' }, other)).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('is ignored if no setting names it', async () => {
    const other = await startTestService({
      databaseUrl: lab.databaseUrl,
      settings: { trustProxy: ['127.0.0.1'] },
    });
    try {
      expect(await viewerOf(as('ada'), other)).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('counts only once: a proxy may add its own to that of a caller', async () => {
    const user = 'x-forwarded-user: ada';
    const groups = 'x-forwarded-groups: net';
    expect(await sendRaw([user, groups])).toContain('"username":"ada"');
    expect(await sendRaw([user, 'X-Forwarded-User: mika'])).toContain('401 Unauthorized');
    expect(await sendRaw([user, groups, 'X-Forwarded-Groups: ops'])).toContain('401 Unauthorized');
  });
});
