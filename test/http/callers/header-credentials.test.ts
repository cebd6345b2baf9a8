import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENCODINGS, type RestParameters } from '../../support/http/rest-parameters.ts';
import { askWithHeaders, bearer, type Headers } from '../../support/http/rest-with-headers.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  ENDPOINT_NAMES,
  startTestService,
  type TestService,
} from '../../support/lab/service.ts';

const ZOE = { username: 'zoë', token: 'to:ken:ö' };
const NOBODY = { username: 'grantless', token: 'grantless-token' };
const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'a', ts: T0, values: { 0: 5 } }],
  });
  await lab.apply({ context: 'secret', groups: [group(2)] });
  await lab.addUser(ZOE, [CONTEXT]);
  await lab.addUser(NOBODY, []);
});

afterAll(() => lab.close());

const TOPPER = { counter_group: GROUP, window_fromts: T0, window_seconds: 60 };

const ask = (headers: Headers, parameters: RestParameters = TOPPER) =>
  askWithHeaders(lab, 'topper', headers, parameters);

const messageOf = ({ status, text }: { status: number; text: string }): [number, string] => {
  const { message } = JSON.parse(text) as { message: string };
  expect(JSON.parse(text)).toEqual({ status: 'ERROR', message });
  return [status, message];
};

const INVALID: [number, string] = [401, 'Invalid API token'];

describe('the Authorization header, where neither api_token nor username is given', () => {
  const WAYS: readonly [string, Headers][] = [
    ['Basic', basic(ADA)],
    ['basic, in another case', { authorization: `bAsIc ${btoa('ada:ada-token')}` }],
    ['Bearer with x-username', bearer(ADA)],
    ['Basic with letters of any language and colons in the token', basic(ZOE)],
    [
      'Basic in Latin-1, as some clients write it',
      {
        authorization: `Basic ${Buffer.from(`${ZOE.username}:${ZOE.token}`, 'latin1').toString('base64')}`,
      },
    ],
  ];

  describe.each(WAYS)('is accepted as %s', (_, headers) => {
    it.each(ENDPOINT_NAMES)('by GET and in every encoding of a POST: %s', async (endpoint) => {
      const parameters = endpoint === 'topper' ? TOPPER : {};
      const expected = await lab.rest(endpoint, parameters);
      expect(expected.status).toBe(200);
      for (const encoding of ENCODINGS) {
        const answer = await askWithHeaders(lab, endpoint, headers, parameters, { encoding });
        expect([answer.status, answer.text]).toEqual([200, expected.text]);
        expect(answer.headers['www-authenticate']).toBeUndefined();
      }
      const head = await askWithHeaders(lab, endpoint, headers, parameters, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
    });

    it('alongside empty parameters, which count as not given', async () => {
      const empty = { ...TOPPER, username: '', api_token: '' };
      expect((await ask(headers, empty)).status).toBe(200);
    });
  });

  it.each<[string, Headers]>([
    ['a wrong token', basic({ ...ADA, token: 'wrong' })],
    ['an unknown user', basic({ ...ADA, username: 'nobody' })],
    ['an empty token', basic({ ...ADA, token: '' })],
    ['neither user nor token', { authorization: `Basic ${btoa(':')}` }],
    ['no colon', { authorization: `Basic ${btoa('ada')}` }],
    ['text that is not Base64', { authorization: 'Basic %%%%' }],
    ['only a scheme', { authorization: 'Basic' }],
    ['an unknown scheme', { authorization: 'Digest ada-token' }],
    ['a token without a scheme', { authorization: 'ada-token' }],
    ['an empty header', { authorization: '' }],
    ['a Bearer token without a username', { authorization: 'Bearer ada-token' }],
    [
      'the Bearer token of another user',
      { authorization: 'Bearer ada-token', 'x-username': 'zoë' },
    ],
    ['a username without a token', { 'x-username': 'ada' }],
    ['no header', {}],
    ['a NUL', basic({ ...ADA, username: 'ada\0' })],
    ['bytes that are not text', { authorization: `Basic ${btoa('\xed\xa0\x80\xff:ada-token')}` }],
    ['a token as long as headers may be', basic({ ...ADA, token: 'x'.repeat(20_000) })],
    ['something after it', { authorization: `${basic(ADA).authorization}, Bearer ada-token` }],
    ['a tab after its scheme', { authorization: `Basic\t${btoa('ada:ada-token')}` }],
  ])('with %s is 401, before anything else is checked', async (_, headers) => {
    const wrong = { context: 'nowhere', counter_group: '', maxitems: 'abc' };
    for (const endpoint of ENDPOINT_NAMES) {
      const answer = await askWithHeaders(lab, endpoint, headers, wrong);
      expect(messageOf(answer)).toEqual(INVALID);
      // Never Basic: a browser would store the credentials and send them on its own.
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('is checked first, then everything else in its order', async () => {
    const who = basic(NOBODY);
    expect(messageOf(await ask(who, { context: '' }))).toEqual([400, 'context is required']);
    expect(messageOf(await ask(who, { context: 'nowhere' }))).toEqual([
      422,
      'Invalid context name - nowhere',
    ]);
    expect(messageOf(await ask(who, { maxitems: 'abc' }))).toEqual([
      403,
      'User grantless is not allowed to access context lab',
    ]);
    expect(messageOf(await ask(bearer(ADA), {}))).toEqual([400, 'counter_group is required']);
  });

  it('is checked after the type of the body', async () => {
    const sent = { method: 'POST', headers: { ...basic(ADA), 'content-type': 'text/plain' } };
    const answer = await lab.call(lab.path('topper'), { ...sent, body: 'x' });
    expect(answer.status).toBe(415);
  });
});

describe('a request with either of the two parameters is judged by the parameters alone', () => {
  const { username, token: api_token } = ADA;

  it.each<[string, RestParameters]>([
    ['a wrong token', { username, api_token: 'wrong' }],
    ['an unknown user', { username: 'nobody', api_token }],
    ['only the user', { username }],
    ['only the token', { api_token }],
    ['the user and an empty token', { username, api_token: '' }],
    ['the token and an empty user', { username: '', api_token }],
    ['the token twice', { username, api_token: [api_token, api_token] }],
    ['the token as a list', { username, 'api_token[]': ['x', 'y'] }],
  ])('%s: a valid header is not read', async (_, parameters) => {
    for (const encoding of ENCODINGS) {
      for (const headers of [basic(ADA), bearer(ADA)]) {
        const answer = await askWithHeaders(
          lab,
          'topper',
          headers,
          { ...TOPPER, ...parameters },
          { encoding },
        );
        expect(messageOf(answer)).toEqual(INVALID);
      }
    }
  });

  it('a nested value in JSON counts as given too', async () => {
    const body = JSON.stringify({ ...TOPPER, context: CONTEXT, api_token: { a: 1 } });
    const headers = { ...basic(ADA), 'content-type': 'application/json' };
    const answer = await lab.call(lab.path('topper'), { method: 'POST', headers, body });
    expect(messageOf(answer)).toEqual(INVALID);
  });

  it.each<[string, Headers]>([
    ['wrong', basic({ ...ADA, token: 'wrong' })],
    ['malformed', { authorization: 'Negotiate x' }],
    ['of a user without grants', basic(NOBODY)],
  ])('valid ones: a header that is %s is not read', async (_, headers) => {
    const parameters = { ...TOPPER, username, api_token };
    expect((await ask(headers, parameters)).status).toBe(200);
  });
});

describe('a cached answer', () => {
  it('is given only to callers who may request it', async () => {
    const first = await ask(basic(ADA));
    const again = await ask(basic(ADA));
    expect([again.text, again.headers.etag]).toEqual([first.text, first.headers.etag]);
    const tag = { 'if-none-match': first.headers.etag ?? '' };
    expect((await ask({ ...basic(ADA), ...tag })).status).toBe(304);
    expect((await ask({ ...bearer(ZOE), ...tag })).status).toBe(304);
    expect(messageOf(await ask({ ...basic(NOBODY), ...tag }))).toEqual([
      403,
      'User grantless is not allowed to access context lab',
    ]);
    expect(messageOf(await ask({ ...basic({ ...ADA, token: 'x' }), ...tag }))).toEqual(INVALID);
    expect(messageOf(await ask(tag))).toEqual(INVALID);
    // Nor may a cache in between share it: the URL is the same for all callers.
    expect(first.headers['cache-control']).toBe('private, no-cache');
    expect((await ask(basic(NOBODY))).headers['cache-control']).toBe('no-store');
  });
});

describe('the log', () => {
  it('names the user, and never contains the token', async () => {
    for (const who of [basic(ADA), bearer(ADA), basic({ ...ADA, token: 'mistyped' })]) {
      await ask(who, { ...TOPPER, flags: 77 });
    }
    const lines = lab.logText().split('\n');
    const own = lines.filter((line) => line.includes('"flags":"77"'));
    expect(own.filter((line) => line.includes('"user":"ada"'))).toHaveLength(2);
    expect(own).toHaveLength(3);
    for (const secret of ['ada-token', 'mistyped', btoa('ada:ada-token')]) {
      expect(lab.logText()).not.toContain(secret);
    }
  });
});

describe('failures', () => {
  it('count together with those of the parameters and of GraphQL', async () => {
    const settings = { loginFailures: 3, loginFailureSeconds: 600, trustProxy: ['127.0.0.1'] };
    const strict = await startTestService({ databaseUrl: lab.databaseUrl, settings });
    const wrong = { ...ADA, token: 'wrong' };
    const from = { 'x-forwarded-for': '2001:db8:77::1' };
    const at = (headers: Headers, where: Headers = from) =>
      askWithHeaders(strict, 'topper', { ...headers, ...where }, TOPPER);
    try {
      expect((await at(basic(wrong))).status).toBe(401);
      expect((await at(bearer(wrong))).status).toBe(401);
      const { status } = await strict.graphql('{ __typename }', {}, { ...basic(wrong), ...from });
      expect(status).toBe(401);
      for (const headers of [basic(wrong), basic(ADA), bearer(ADA)]) {
        const answer = await at(headers);
        expect(messageOf(answer)).toEqual([
          429,
          expect.stringMatching(/^Too many failed log-ins, try again in \d+ seconds$/),
        ]);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(500);
      }
      expect((await strict.rest('topper', TOPPER, { headers: from })).status).toBe(429);
      expect((await at(basic(ADA), { 'x-forwarded-for': '2001:db8:78::1' })).status).toBe(200);
    } finally {
      await strict.close();
    }
  });
});
