import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages } from '../docs/pages.ts';
import { httpCall } from '../support/http/http-call.ts';
import { group, startLab } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import type { Nginx } from '../support/programs/nginx.ts';
import { startProxy } from './documented-nginx.ts';

/** What the page adds to the server, and to its location. */
const [OF_SERVER = '', OF_LOCATION = ''] = readPages()
  .filter(({ path }) => path === 'docs/how-to/sign-in.md')
  .flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'nginx'))
  .map(({ text }) => text);

describe('behind nginx and oauth2-proxy as in docs/how-to/sign-in.md', () => {
  let lab: TestService;
  let proxy: Nginx;
  let oauth2Proxy: Server;

  beforeAll(async () => {
    // Like oauth2-proxy, it knows whoever has its cookie.
    oauth2Proxy = createServer((request, response) => {
      const user = userOf(request);
      if (request.url !== '/oauth2/auth') return response.end(`sign in: ${request.url}`);
      if (user === null) return response.writeHead(401).end();
      response.setHeader('x-auth-request-preferred-username', user);
      return response.setHeader('x-auth-request-groups', 'net,ops').writeHead(202).end();
    });
    await once(oauth2Proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = oauth2Proxy.address() as AddressInfo;
    lab = await startLab({
      groups: [group(1)],
      settings: {
        trustProxy: ['127.0.0.1'],
        proxySignIn: { userHeader: 'x-forwarded-user', groupsHeader: 'x-forwarded-groups' },
      },
    });
    await lab.sql(`with g as (
        insert into users (username, is_group) values ('net', true) returning user_id)
      insert into grants (user_id, context_id) select user_id, context_id from g, contexts`);
    const added = OF_SERVER.replaceAll('127.0.0.1:4180', `127.0.0.1:${port}`);
    proxy = await startProxy(new URL(lab.url).host, [
      ['  location / {\n', `${added}\n  location / {\n${OF_LOCATION}\n`],
    ]);
  });

  afterAll(async () => {
    await proxy?.stop();
    await lab?.close();
    oauth2Proxy?.close();
  });

  const viewer = (headers: Record<string, string>) =>
    httpCall(`${proxy.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      body: JSON.stringify({ query: '{ viewer { username contexts { name } } }' }),
    });

  it('whoever has signed in there is a user here, with the grants of their groups', async () => {
    const { text } = await viewer({ cookie: '_oauth2_proxy=mika' });
    expect(JSON.parse(text).data).toEqual({
      viewer: { username: 'mika', contexts: [{ name: CONTEXT }] },
    });
  });

  it('nobody can name a user or a group', async () => {
    const forged = { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'admins' };
    const { text } = await viewer({ cookie: '_oauth2_proxy=mika', ...forged });
    expect(JSON.parse(text).data).toMatchObject({ viewer: { username: 'mika' } });
    expect((await viewer(forged)).status).toBe(302);
    const upload = (headers: Record<string, string>) =>
      httpCall(`${proxy.url}/upload?context=${CONTEXT}&format=zeek`, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
        body: '#\n',
      });
    expect((await upload(forged)).status).toBe(302);
    const { status, text: refused } = await upload({ cookie: '_oauth2_proxy=mika', ...forged });
    expect([status, refused]).toEqual([403, expect.stringContaining('User mika needs the role')]);
  });

  it('whoever has not signed in is sent there, and back', async () => {
    const page = await httpCall(`${proxy.url}/?context=lab`);
    expect(page.status).toBe(302);
    const { hostname } = new URL(proxy.url);
    const at = new URL(page.headers.location ?? '', proxy.url);
    expect(at.pathname + at.search).toBe(`/oauth2/sign_in?rd=http://${hostname}/?context=lab`);
    expect((await httpCall(at.href)).text).toContain('sign in: /oauth2/sign_in');
    expect((await httpCall(`${proxy.url}/oauth2/auth`)).status).toBe(404);
  });
});

const userOf = ({ headers }: IncomingMessage): string | null =>
  /_oauth2_proxy=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? null;
