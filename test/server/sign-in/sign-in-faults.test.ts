import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { ADA, basic } from '../../support/lab/service.ts';
import type { BrowserWalk, Page } from '../../support/sign-in/browser-walk.ts';
import { CLIENT } from '../../support/sign-in/identity-provider.ts';
import {
  CALLBACK,
  PUBLIC_URL,
  type SignInLab,
  startSignInLab,
} from '../../support/sign-in/sign-in-lab.ts';

let at: SignInLab;

beforeAll(async () => {
  at = await startSignInLab({
    accounts: { '4711': { preferred_username: 'mika' }, '4712': {} },
  });
});

afterEach(() => at.provider.replaceBy(null));

afterAll(() => at.close());

const now = () => Math.floor(Date.now() / 1000);

/** Expects a page that says why nobody is signed in, and leads back. */
function expectFault(page: Page, status: number, text: string): void {
  expect([page.status, page.text]).toEqual([status, expect.stringContaining(text)]);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).toMatch(/<html lang="en">.*<title>[^<]+<\/title>.*<main>\n<h1>/s);
  expect(page.text).toContain(`<a href="${PUBLIC_URL}/">Back to sign in</a>`);
  const set = page.headers['set-cookie'] ?? [];
  expect(set.filter((cookie) => cookie.startsWith('countergraph_session'))).toEqual([]);
}

const isBack = (url: string) => url.startsWith(CALLBACK);

/** Comes back with an ID token that has these claims in place of the right ones. */
async function comeBackWith(
  claims: Record<string, unknown>,
  sign = (all: Record<string, unknown>) => at.provider.idToken(all),
): Promise<{ page: Page; browser: BrowserWalk }> {
  const browser = at.newBrowser();
  const asked = await at.begin(browser);
  const right = {
    iss: at.provider.issuer,
    aud: CLIENT.id,
    sub: '4711',
    nonce: asked.get('nonce'),
    iat: now(),
    exp: now() + 600,
    preferred_username: 'mika',
    groups: ['net'],
  };
  at.provider.giveOut(sign({ ...right, ...claims }));
  const page = await at.comeBack(browser, { state: asked.get('state') ?? '' });
  return { page, browser };
}

const STALE = 'was not begun in this browser, took too long, or is over already';

describe('coming back from the provider', () => {
  it('works once', async () => {
    const browser = at.newBrowser();
    const back = await at.signIn('4711', browser, isBack);
    const cookie = browser.cookie(PUBLIC_URL, '__Host-countergraph_sign_in') ?? '';
    expect((await browser.open(back.url)).status).toBe(200);
    expectFault(await browser.open(back.url), 400, STALE);
    // The browser forgets the cookie; somebody who does not is refused by the provider.
    browser.setCookie(PUBLIC_URL, '__Host-countergraph_sign_in', cookie);
    expectFault(await browser.open(back.url), 400, STALE);
  });

  it('works only in the browser that began, and with its own code', async () => {
    const back = await at.signIn('4711', at.newBrowser(), isBack);
    expectFault(await at.newBrowser().open(back.url), 400, STALE);
    const other = at.newBrowser();
    const state = (await at.begin(other)).get('state') ?? '';
    const url = new URL(back.url);
    expectFault(await other.open(url.href), 400, STALE);
    url.searchParams.set('state', state);
    expectFault(await other.open(url.href), 400, STALE);
  });

  it('works for ten minutes, with the cookie as it was', async () => {
    const browser = at.newBrowser();
    const back = await at.signIn('4711', browser, isBack);
    const name = '__Host-countergraph_sign_in';
    const cookie = browser.cookie(PUBLIC_URL, name) ?? '';
    at.lab.clock.seconds += LIMITS.signInSeconds + 1;
    expectFault(await browser.open(back.url), 400, STALE);
    const [random = '', startedAt, page] = cookie.split('.');
    browser.setCookie(PUBLIC_URL, name, [random, Number(startedAt) + 60, page].join('.'));
    expectFault(await browser.open(back.url), 400, STALE);
    at.lab.clock.seconds -= LIMITS.signInSeconds + 1;
    browser.setCookie(PUBLIC_URL, name, cookie);
    expect((await browser.open(back.url)).status).toBe(200);
  });

  it('tells people that they cancelled', async () => {
    const browser = at.newBrowser();
    const login = await browser.open(`${PUBLIC_URL}/session/oidc`);
    const abort = /href="([^"]*\/abort)"/.exec(login.text)?.[1] ?? '';
    const page = await browser.open(new URL(abort, login.url).href);
    expectFault(page, 403, 'Example ID did not let you sign in here, or you cancelled it.');
  });

  it.each([
    ['server_error', 502, 'Example ID refused the request'],
    ['temporarily_unavailable', 503, 'Example ID does not answer'],
  ])('tells people of the error %s', async (error, status, text) => {
    const browser = at.newBrowser();
    const state = (await at.begin(browser)).get('state') ?? '';
    const query = new URLSearchParams({ error, state, iss: at.provider.issuer });
    query.set('error_description', '<script>call 555-1234</script>');
    const page = await browser.open(`${CALLBACK}?${query}`);
    expectFault(page, status, text);
    expect(page.text).not.toContain('555');
  });

  it('takes only GET', async () => {
    const answer = await at.lab.call('/session/oidc/callback', { method: 'POST' });
    expect(answer.status).toBe(405);
  });
});

describe('an ID token', () => {
  it('is believed if it is right, with its groups, and a clock that differs a little', async () => {
    const { page, browser } = await comeBackWith({ iat: now() + 20, exp: now() - 20 });
    expect(page.status).toBe(200);
    expect(await at.whoIs(browser)).toMatchObject({ username: 'mika' });
    expect(await at.lab.sql('select groups from sessions order by began_at desc limit 1')).toEqual([
      { groups: ['net'] },
    ]);
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['another nonce', () => ({ nonce: 'another' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['another audience', () => ({ aud: 'another' })],
    ['another issuer', () => ({ iss: 'https://id.example.com' })],
    ['an end long ago', () => ({ exp: now() - LIMITS.clockToleranceSeconds - 60 })],
    ['no end', () => ({ exp: undefined })],
    ['no subject', () => ({ sub: undefined })],
  ])('is not believed with %s', async (_, claims) => {
    const { page } = await comeBackWith(claims());
    expectFault(page, 502, 'The answer of Example ID is not valid');
  });

  it('is not believed without the signature of the provider', async () => {
    const none = await comeBackWith({}, (all) => at.provider.idToken(all, 'none'));
    expectFault(none.page, 502, 'is not valid');
    const other = at.provider.newKey();
    const forged = await comeBackWith({}, (all) => at.provider.idToken(all, 'RS256', other));
    expectFault(forged.page, 502, 'is not valid');
    const { page } = await comeBackWith(
      {},
      (all) => `${at.provider.idToken(all).slice(0, -8)}AAAAAAAA`,
    );
    expectFault(page, 502, 'is not valid');
  });

  it('may be signed with a key that is newer than the sign-in', async () => {
    expect((await comeBackWith({})).page.status).toBe(200);
    const { page } = await comeBackWith({}, (all) => {
      at.provider.rotateKey();
      return at.provider.idToken(all);
    });
    expect(page.status).toBe(200);
  });

  it.each([
    ['a name', { preferred_username: '' }],
    ['groups that are texts', { groups: [{ id: 1 }] }],
    ['few groups', { groups: Array.from({ length: 1001 }, (_, i) => `group ${i}`) }],
  ])('must say who somebody is: %s', async (_, claims) => {
    const { page } = await comeBackWith(claims);
    expectFault(page, 502, 'Example ID did not say who you are');
  });

  it('must name the person, here or as user information', async () => {
    expectFault(await at.signIn('4712'), 502, 'Example ID did not say who you are');
    expect(at.lab.logText()).toContain('the claim preferred_username is missing');
  });
});

describe('a provider that is away', () => {
  const AWAY = 'Example ID does not answer. Try again in a moment, or sign in with a token.';

  it('is no obstacle to those who have a token, or a session', async () => {
    const browser = at.newBrowser();
    await at.signIn('4711', browser);
    at.provider.replaceBy((_, response) => response.destroy());
    const answer = await at.lab.graphql('{ viewer { username } }', {}, basic(ADA));
    expect(answer.data).toEqual({ viewer: { username: 'ada' } });
    expect(await at.whoIs(browser)).toMatchObject({ username: 'mika' });
    const out = await at.lab.call('/session', { method: 'DELETE', headers: at.headersOf(browser) });
    expect([out.status, JSON.parse(out.text)]).toEqual([200, { username: null }]);
  });

  it.each([
    ['does not answer', (_: unknown, response: { destroy(): void }) => response.destroy()],
    [
      'fails',
      (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
        response.writeHead(500).end(),
    ],
  ])('is named on a page when it %s, before and after the log-in', async (_, answering) => {
    const browser = at.newBrowser();
    const back = await at.signIn('4711', browser, isBack);
    at.provider.replaceBy(answering);
    expectFault(await browser.open(back.url), 503, AWAY);
    expectFault(await at.newBrowser().open(`${PUBLIC_URL}/session/oidc`), 503, AWAY);
  });

  it('may be no provider at all', async () => {
    at.provider.replaceBy((_, response) => response.end('Welcome!'));
    const page = await at.newBrowser().open(`${PUBLIC_URL}/session/oidc`);
    expectFault(page, 502, 'The answer of Example ID is not valid');
  });
});

describe('a server whose database is read-only', () => {
  it('says so on a page, because it keeps no sessions', async () => {
    const browser = at.newBrowser();
    const back = await at.signIn('4711', browser, isBack);
    await at.lab.sql(`create function refuse() returns trigger language plpgsql
      as $$ begin raise sqlstate '25006'; end $$`);
    await at.lab.sql(`create trigger refuse before insert on sessions
      for each row execute function refuse()`);
    const page = await browser.open(back.url);
    await at.lab.sql('drop function refuse cascade');
    expectFault(page, 500, 'Database is read-only, its primary accepts changes.');
  });
});

describe('a failed sign-in', () => {
  it('is in the audit, and nothing secret is in the log', async () => {
    const browser = at.newBrowser();
    const back = await at.signIn('4711', browser, isBack);
    await browser.open(back.url);
    await browser.open(back.url);
    const idToken: string[] = [];
    await comeBackWith({ aud: 'another' }, (all) => {
      idToken.push(at.provider.idToken(all));
      return idToken[0] ?? '';
    });
    await at.lab.keepAuditNow();
    const rows = await at.lab.sql(
      `select username, object, came_from from audit where action = 'sign-in failed' limit 1`,
    );
    expect(rows).toEqual([
      { username: '(identity provider)', object: '(identity provider)', came_from: '127.0.0.1' },
    ]);
    const log = at.lab.logText();
    expect(log).toContain('a sign-in at the identity provider failed');
    const code = new URL(back.url).searchParams.get('code') ?? '';
    for (const secret of [CLIENT.secret, code, ...idToken]) {
      expect(secret).not.toBe('');
      expect(log).not.toContain(secret);
    }
  });
});

describe('a server whose provider never answered', () => {
  it('starts, and says so to those who sign in', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const address = closed.address();
    await new Promise((resolve) => closed.close(resolve));
    if (typeof address !== 'object' || !address) throw new Error('it listened');
    const other = await startSignInLab({
      accounts: {},
      oidc: { issuer: `http://127.0.0.1:${address.port}/` },
    });
    try {
      const page = await other.newBrowser().open(`${PUBLIC_URL}/session/oidc`);
      expectFault(page, 503, 'Example ID does not answer');
    } finally {
      await other.close();
    }
  });

  it('says that its secret cannot be read', async () => {
    const other = await startSignInLab({
      accounts: {},
      oidc: { clientSecret: { file: '/nowhere/secret' } },
    });
    try {
      const page = await other.newBrowser().open(`${PUBLIC_URL}/session/oidc`);
      expectFault(page, 500, 'cannot read its own secret for Example ID');
      expect(other.lab.logText()).toContain('/nowhere/secret');
    } finally {
      await other.close();
    }
  });
});
