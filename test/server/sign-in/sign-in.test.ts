import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkUser, unlinkUser } from '../../../access/links.ts';
import { ADA, basic, CONTEXT } from '../../support/lab/service.ts';
import { PUBLIC_URL, type SignInLab, startSignInLab } from '../../support/sign-in/sign-in-lab.ts';

const COOKIE = 'countergraph_session';

let at: SignInLab;

const VIEWER = '{ viewer { username contexts { name } } }';

beforeAll(async () => {
  at = await startSignInLab({
    accounts: {
      '4711': { preferred_username: 'mika', groups: ['net', 'ops'] },
      '4712': { preferred_username: 'mika' },
      '4713': { preferred_username: 'ada' },
      '4714': { preferred_username: 'urn:people:lin' },
      '4715': { preferred_username: 'bob' },
      '4716': { preferred_username: 'cy' },
      '4718': { preferred_username: 'cy' },
      '4717': { preferred_username: 'out' },
    },
  });
});

afterAll(() => at.close());

/** Signs in with a new browser. Returns who the server says that is. */
async function usernameOf(sub: string) {
  const browser = at.newBrowser();
  await at.signIn(sub, browser);
  return (await at.whoIs(browser))['username'];
}

describe('signing in at an identity provider', () => {
  it('makes whoever comes for the first time a user without grants', async () => {
    const browser = at.newBrowser();
    const page = await at.signIn('4711', browser);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('You are signed in')]);
    expect(page.headers['set-cookie']).toEqual([
      '__Host-countergraph_sign_in=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
      expect.stringMatching(
        /^countergraph_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    expect(await at.whoIs(browser)).toEqual({
      username: 'mika',
      shownName: 'mika',
      provider: { name: 'Example ID', url: `${PUBLIC_URL}/session/oidc` },
    });
    const { data } = await at.lab.graphql(VIEWER, {}, at.headersOf(browser));
    expect(data).toEqual({ viewer: { username: 'mika', contexts: [] } });
  });

  it('finds the same user the next time, whatever the person is called then', async () => {
    await at.lab.sql(`update users set shown_name = 'formerly' where subject = '4711'`);
    expect(await usernameOf('4711')).toBe('mika');
    expect(await at.lab.sql(`select shown_name from users where subject = '4711'`)).toEqual([
      { shown_name: 'mika' },
    ]);
  });

  it('never makes anybody a user that is there already', async () => {
    expect(await usernameOf('4712')).toBe('mika (2)');
    const browser = at.newBrowser();
    await at.signIn('4713', browser);
    expect(await at.whoIs(browser)).toMatchObject({ username: 'ada (2)', shownName: 'ada' });
    const own = await at.lab.graphql(VIEWER, {}, basic(ADA));
    const other = await at.lab.graphql(VIEWER, {}, at.headersOf(browser));
    expect([own.data, other.data]).toEqual([
      { viewer: { username: 'ada', contexts: [{ name: CONTEXT }] } },
      { viewer: { username: 'ada (2)', contexts: [] } },
    ]);
  });

  it('makes a person the user whom somebody has linked to them', async () => {
    const person = { issuer: at.issuer, subject: '4718' };
    await at.lab.addUser({ username: 'linked', token: 'linked-token' }, [CONTEXT]);
    await at.lab.write((connection) => linkUser(connection, 'linked', person));
    const browser = at.newBrowser();
    await at.signIn('4718', browser);
    expect(await at.whoIs(browser)).toMatchObject({ username: 'linked', shownName: 'cy' });
    const { data } = await at.lab.graphql(VIEWER, {}, at.headersOf(browser));
    expect(data).toEqual({ viewer: { username: 'linked', contexts: [{ name: CONTEXT }] } });
    await at.lab.write((connection) => unlinkUser(connection, 'linked'));
    expect(await at.whoIs(browser)).toMatchObject({ username: null });
  });

  it('gives a person a name that a user may have', async () => {
    const browser = at.newBrowser();
    await at.signIn('4714', browser);
    expect(await at.whoIs(browser)).toMatchObject({
      username: 'urn-people-lin',
      shownName: 'urn:people:lin',
    });
  });

  it('may be two at once, who are the same or have the same name', async () => {
    await at.lab.sql(`delete from users where subject in ('4711', '4712')`);
    const names = await Promise.all(['4711', '4712', '4711'].map(usernameOf));
    expect(names[0]).toBe(names[2]);
    expect(names.slice(0, 2).toSorted()).toEqual(['mika', 'mika (2)']);
  });

  it('asks for what it needs only', async () => {
    const asked = await at.begin(at.newBrowser());
    expect(Object.fromEntries(asked)).toEqual({
      client_id: 'countergraph',
      response_type: 'code',
      redirect_uri: `${PUBLIC_URL}/session/oidc/callback`,
      scope: 'openid profile groups',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('leads on to the page from which it began, if that is one of this server', async () => {
    const leadsTo = async (page: string) => {
      const browser = at.newBrowser();
      const url = `${PUBLIC_URL}/session/oidc?return=${encodeURIComponent(page)}`;
      const login = await browser.open(url);
      const consent = await browser.submit(login, { login: '4711', password: 'any' });
      const { text } = await browser.submit(consent, {});
      return /http-equiv="refresh" content="0;url=([^"]*)"/.exec(text)?.[1];
    };
    expect(await leadsTo('/graphql?a="b"#c')).toBe(`${PUBLIC_URL}/graphql?a=%22b%22#c`);
    expect(await leadsTo('https://elsewhere.example.com/')).toBe(`${PUBLIC_URL}/`);
  });

  it('is in the audit', async () => {
    const name = await usernameOf('4715');
    await at.lab.keepAuditNow();
    const rows = await at.lab.sql(
      'select action, username, detail from audit where object = $1 order by audit_id',
      [name],
    );
    const { issuer } = at;
    expect(rows).toEqual([
      { action: 'user added', username: 'bob', detail: { issuer, subject: '4715' } },
      { action: 'session began', username: 'bob', detail: { issuer } },
    ]);
  });
});

describe('a session that began at an identity provider', () => {
  it('has what is granted to the groups of the person', async () => {
    const browser = at.newBrowser();
    await at.signIn('4711', browser);
    const contexts = async () => {
      const { data } = await at.lab.graphql(
        '{ viewer { contexts { name } } }',
        {},
        at.headersOf(browser),
      );
      return data;
    };
    expect(await contexts()).toEqual({ viewer: { contexts: [] } });
    await at.lab.sql(`with g as (
        insert into users (username, is_group) values ('net', true) returning user_id)
      insert into grants (user_id, context_id) select user_id, context_id from g, contexts`);
    expect(await contexts()).toEqual({ viewer: { contexts: [{ name: CONTEXT }] } });
  });

  it('goes on while there are newer ones, and ends when the user is somebody else', async () => {
    const first = at.newBrowser();
    await at.signIn('4716', first);
    await usernameOf('4716');
    expect(await at.whoIs(first)).toMatchObject({ username: 'cy' });
    await at.lab.sql(`update users set subject = 'another' where username = 'cy'`);
    expect(await at.whoIs(first)).toMatchObject({ username: null });
  });

  it('ends at sign-out, which says where to sign out of the provider', async () => {
    const browser = at.newBrowser();
    await at.signIn('4717', browser);
    const cookie = browser.cookie(PUBLIC_URL, COOKIE);
    const answer = await at.lab.call('/session', {
      method: 'DELETE',
      headers: at.headersOf(browser),
    });
    const { username, signOutUrl } = JSON.parse(answer.text);
    expect([answer.status, username]).toEqual([200, null]);
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^countergraph_session=;.*; Secure; Max-Age=0$/,
    );
    browser.setCookie(PUBLIC_URL, COOKIE, cookie ?? '');
    expect(await at.whoIs(browser)).toMatchObject({ username: null });
    const asked = await browser.open(signOutUrl);
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('sign-out')]);
    const { searchParams } = new URL(signOutUrl);
    expect(searchParams.get('post_logout_redirect_uri')).toBe(`${PUBLIC_URL}/`);
  });

  it('counts only for pages under the public address', async () => {
    const browser = at.newBrowser();
    await at.signIn('4711', browser);
    const cookie = browser.cookies(PUBLIC_URL);
    const statusFrom = async (origin: string) =>
      (await at.lab.graphql(VIEWER, {}, { origin, cookie })).status;
    expect([await statusFrom(PUBLIC_URL), await statusFrom(at.lab.url)]).toEqual([200, 403]);
  });
});
