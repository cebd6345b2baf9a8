import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser, removeUser } from '../../../access/users.ts';
import { rotateToken } from '../../support/database/rotate-token.ts';
import { openStream } from '../../support/http/event-stream.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  type TestService,
} from '../../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 7 } }],
  });
});

afterAll(() => lab.close());

const OWN = { 'sec-fetch-site': 'same-origin' };

const post = (body: unknown, headers: Record<string, string> = OWN) =>
  lab.call('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const cookieOf = ({ headers }: Awaited<ReturnType<typeof post>>): string =>
  headers['set-cookie']?.[0] ?? '';

/** Signs in, and returns the header that the browser sends from then on. */
async function signIn(user: Credentials = ADA, more: object = {}): Promise<string> {
  const answer = await post({ ...user, ...more });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(user.username)]);
  return cookieOf(answer).split(';')[0] ?? '';
}

async function newUser(username: string): Promise<Credentials> {
  const user = { username, token: `${username}-token` };
  await lab.addUser(user, [CONTEXT]);
  return user;
}

const VIEWER = '{ viewer { username contexts { name } } }';

const viewerBy = (headers: Record<string, string>) => lab.graphql(VIEWER, {}, headers);

const whoIs = async (cookie: string) =>
  JSON.parse((await lab.call('/session', { headers: { ...OWN, cookie } })).text).username;

describe('a session', () => {
  it('begins with a user and a token, and its cookie is for this server only', async () => {
    const answer = await post(ADA);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(answer.text)).toEqual({ username: 'ada', endsAt: expect.any(String) });
    expect(cookieOf(answer)).toMatch(
      /^countergraph_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(answer).split(';')[0] ?? '';
    expect(await whoIs(cookie)).toBe('ada');
    expect((await viewerBy({ ...OWN, cookie })).data).toEqual({
      viewer: { username: 'ada', contexts: [{ name: CONTEXT }] },
    });
  });

  it('is kept as a digest, 12 hours, or 30 days for whoever stays', async () => {
    const hours = async (stay: boolean) => {
      const { text, ...answer } = await post({ ...ADA, stay });
      const left = Date.parse(JSON.parse(text).endsAt) - Date.now();
      return [
        Math.round(left / 3_600_000),
        /Max-Age=(\d+)/.exec(cookieOf({ text, ...answer }))?.[1],
      ];
    };
    expect([await hours(false), await hours(true)]).toEqual([
      [12, undefined],
      [720, '2592000'],
    ]);
    const value = (await signIn()).split('=')[1] ?? '';
    const stored = await lab.sql<{ digest: Buffer }>('select digest from sessions');
    expect(stored.length).toBeGreaterThan(0);
    for (const { digest } of stored) expect(digest.includes(value)).toBe(false);
  });

  it('has a cookie for TLS only, if the page was loaded over TLS', async () => {
    const answer = await post(ADA, { ...OWN, origin: 'https://counters.example.com' });
    expect(cookieOf(answer)).toContain('; Secure');
  });

  it.each([
    ['a wrong token', { ...ADA, token: 'wrong' }, 401, 'Invalid API token'],
    ['an unknown user', { username: 'nobody', token: 'x' }, 401, 'Invalid API token'],
    ['no token', { username: 'ada' }, 400, 'must be JSON such as'],
    ['more than there is', { ...ADA, role: 'editor' }, 400, 'must be JSON such as'],
  ])('does not begin with %s', async (_, body, status, message) => {
    const answer = await post(body);
    expect([answer.status, cookieOf(answer)]).toEqual([status, '']);
    expect(answer.text).toContain(message);
  });

  it('takes other methods and content types for mistakes', async () => {
    const put = await lab.call('/session', { method: 'PUT' });
    expect([put.status, put.text]).toEqual([405, expect.stringContaining('GET, POST, DELETE')]);
    const form = await post(ADA, { ...OWN, 'content-type': 'text/plain' });
    expect(form.status).toBe(415);
  });

  it('ends for all tabs at sign-out', async () => {
    const cookie = await signIn();
    const other = await signIn();
    const out = await lab.call('/session', { method: 'DELETE', headers: { ...OWN, cookie } });
    expect([out.status, cookieOf(out)]).toEqual([
      200,
      'countergraph_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    expect([await whoIs(cookie), await whoIs(other)]).toEqual([null, 'ada']);
    expect((await viewerBy({ ...OWN, cookie })).status).toBe(401);
  });

  it('is replaced by the one of whoever signs in next in the same browser', async () => {
    const cookie = await signIn();
    const next = await post(await newUser('next'), { ...OWN, cookie });
    expect([next.status, await whoIs(cookie)]).toEqual([200, null]);
  });

  it('counts as none once it has ended, also beside a right token', async () => {
    const cookie = await signIn();
    await lab.sql('update sessions set ends_at = now()');
    expect(await whoIs(cookie)).toBe(null);
    expect((await viewerBy({ ...OWN, cookie })).status).toBe(401);
    expect((await viewerBy({ ...basic(ADA), cookie })).status).toBe(200);
    expect((await lab.graphql('{ __typename }', {}, { ...OWN, cookie })).status).toBe(200);
  });

  it('ends with the token that made it, and with the user', async () => {
    const cookies = [
      await signIn(await newUser('rotated')),
      await signIn(await newUser('removed')),
    ];
    expect(await Promise.all(cookies.map(whoIs))).toEqual(['rotated', 'removed']);
    await lab.write((connection) => rotateToken(connection, 'rotated'));
    await lab.write((connection) => removeUser(connection, 'removed'));
    expect(await Promise.all(cookies.map(whoIs))).toEqual([null, null]);
  });

  it('begins with a chosen token, too', async () => {
    const user = { username: 'chooser', token: 'a token that I have chosen' };
    await lab.write((connection) =>
      addUser(connection, { name: 'chooser', chosenToken: user.token, contexts: [CONTEXT] }),
    );
    expect(await whoIs(await signIn(user))).toBe('chooser');
  });

  it('of a user goes on until there are a hundred newer ones', async () => {
    const user = await newUser('often');
    const first = await signIn(user);
    await lab.sql(`insert into sessions (digest, user_id, token_digest, began_at, ends_at)
      select sha256(int4send(n)), user_id, token_digest, began_at + make_interval(secs => n), ends_at
      from sessions join users using (user_id), generate_series(1, 98) n where username = 'often'`);
    await signIn(user);
    expect(await whoIs(first)).toBe('often');
    await signIn(user);
    expect(await whoIs(first)).toBe(null);
  });
});

describe('a request with a session', () => {
  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another host of this site', { 'sec-fetch-site': 'same-site' }],
    ['of another origin', { origin: 'https://elsewhere.example.com' }],
    ['that does not say where it comes from', {}],
  ])('is refused if it is %s', async (_, headers) => {
    const cookie = await signIn();
    const answer = await viewerBy({ ...headers, cookie });
    expect([answer.status, answer.errors?.[0]?.message]).toEqual([
      403,
      expect.stringContaining("this server's own pages"),
    ]);
    const out = await lab.call('/session', { method: 'DELETE', headers: { ...headers, cookie } });
    expect(out.status).toBe(403);
    expect(await whoIs(cookie)).toBe('ada');
  });

  it('tells a page who is signed in without TLS, where browsers send no Fetch Metadata', async () => {
    const cookie = await signIn();
    const answer = await lab.call('/session', { headers: { cookie } });
    expect(JSON.parse(answer.text)).toEqual({ username: 'ada' });
    const other = { cookie, 'sec-fetch-site': 'cross-site' };
    expect((await lab.call('/session', { headers: other })).status).toBe(403);
  });

  it('counts with the origin alone, as browsers without Fetch Metadata send it', async () => {
    const cookie = await signIn();
    expect((await viewerBy({ origin: lab.url, cookie })).status).toBe(200);
  });

  it('is for GraphQL only: REST, MCP and metrics ask for a token', async () => {
    const cookie = await signIn();
    const headers = { ...OWN, cookie };
    const rest = await lab.call(`${lab.path('topper')}?context=${CONTEXT}&counter_group=${GROUP}`, {
      headers,
    });
    const mcp = await lab.call('/mcp', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    const metrics = await lab.call(`/metrics/toppers?context=${CONTEXT}`, { headers });
    expect([rest.status, mcp.status, metrics.status]).toEqual([401, 401, 401]);
  });
});

describe('a stream of a session', () => {
  const CHANGES = `subscription { it: contextChanged(name: "${CONTEXT}") { name } }`;

  it('goes on as long as the session, and ends soon after it', async () => {
    const cookie = await signIn();
    const headers = { ...OWN, cookie };
    const stream = await openStream(lab.url, CHANGES, { headers });
    await expect.poll(() => stream.messages.length).toBe(1);
    await lab.call('/session', { method: 'DELETE', headers });
    await stream.ended;
    expect(stream.messages.at(-2)).toMatchObject({
      data: { errors: [{ message: 'Invalid API token' }] },
    });
  });
});

describe('the audit', () => {
  it('has a row for each session that begins or ends', async () => {
    const user = await newUser('audited');
    const cookie = await signIn(user);
    await lab.call('/session', { method: 'DELETE', headers: { ...OWN, cookie } });
    await lab.keepAuditNow();
    const rows = await lab.sql(
      `select action, username, detail from audit where object = 'audited' and action like 'session%'
       order by audit_id`,
    );
    expect(rows).toEqual([
      { action: 'session began', username: 'audited', detail: {} },
      { action: 'session ended', username: 'audited', detail: {} },
    ]);
    expect(lab.logText()).toContain('session began');
  });
});
