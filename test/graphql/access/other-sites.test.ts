import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

const QUERY = '{ __typename }';
const JSON_BODY = JSON.stringify({ query: QUERY });
const FORM_BODY = new URLSearchParams({ query: QUERY }).toString();

type Sent = Readonly<Record<string, string>>;

const post = (headers: Sent, body = JSON_BODY) =>
  lab.call('/graphql', { method: 'POST', headers, body });

const get = (headers: Sent) => lab.call(`/graphql?query=${encodeURIComponent(QUERY)}`, { headers });

const DATA = { data: { __typename: 'Query' } };

describe('a POST that a page of another site can make a browser send without a preflight', () => {
  it.each([
    ['text/plain', JSON_BODY],
    ['text/plain;charset=UTF-8', JSON_BODY],
    ['text/plain;application/json', JSON_BODY],
    ['text/plain; boundary=application/json', JSON_BODY],
    ['TEXT/PLAIN', JSON_BODY],
    ['application/x-www-form-urlencoded', FORM_BODY],
    ['Application/X-WWW-Form-Urlencoded; charset=utf-8', FORM_BODY],
    ['multipart/form-data; boundary=x', '--x--'],
    ['', JSON_BODY],
    [' ', JSON_BODY],
    [';application/json', JSON_BODY],
    ['text/plain,application/json', JSON_BODY],
    ['application/json,text/plain', JSON_BODY],
    ['application/jsonp', JSON_BODY],
    ['application/x-json', JSON_BODY],
    ['json', JSON_BODY],
  ])('as %j is 415 and runs nothing', async (type, body) => {
    const answer = await post({ 'content-type': type }, body);
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.text)).toEqual({
      errors: [
        {
          message: `Content type ${type.trim()} is not supported, use application/json`,
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
  });

  it('without a content type is 415 too', async () => {
    const answer = await post({});
    expect(answer.status).toBe(415);
    expect(answer.text).toContain('Content type none is not supported, use application/json');
  });
});

describe('a POST of JSON', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json ;charset="UTF-8"',
    'APPLICATION/JSON',
    'Application/Json;Charset=Utf8',
    'application/json; odata=verbose',
    'application/graphql+json',
  ])('is read as %j, which no other site can send without a preflight', async (type) => {
    const answer = await post({ 'content-type': type });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, DATA]);
  });

  it.each(['application/json;charset=latin1', 'application/json; charset="utf-16"'])(
    'is refused as %j: its bytes would be misread',
    async (type) => {
      expect((await post({ 'content-type': type })).status).toBe(415);
      expect((await post({ 'content-type': type, ...basic(ADA) })).status).toBe(415);
    },
  );
});

const UNFORGEABLE: readonly Sent[] = [
  { authorization: 'Bearer ada-token', 'x-username': 'ada' },
  { 'x-username': 'ada' },
  { 'graphql-require-preflight': '1' },
  { 'apollo-require-preflight': 'true' },
];

describe('with a header that no form can set', () => {
  it.each(UNFORGEABLE)('(%o) a form is read', async (headers) => {
    const type = 'application/x-www-form-urlencoded';
    const answer = await post({ ...headers, 'content-type': type }, FORM_BODY);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, DATA]);
  });

  it.each(UNFORGEABLE)('(%o) a GET from another site is answered', async (headers) => {
    const answer = await get({ ...headers, 'sec-fetch-site': 'cross-site' });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, DATA]);
  });

  it('plain text is still refused', async () => {
    expect((await post({ ...basic(ADA), 'content-type': 'text/plain' })).status).toBe(415);
  });
});

describe('with credentials that a browser has stored and adds on its own', () => {
  it('a form is 415', async () => {
    const type = 'application/x-www-form-urlencoded';
    expect((await post({ ...basic(ADA), 'content-type': type }, FORM_BODY)).status).toBe(415);
  });

  it.each(['cross-site', 'same-site'])('a GET from a %s page is 403', async (site) => {
    expect((await get({ ...basic(ADA), 'sec-fetch-site': site })).status).toBe(403);
  });

  it.each<Sent>([{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])(
    'a GET from a program or from our own page (%o) is answered',
    async (headers) => {
      const answer = await get({ ...basic(ADA), ...headers });
      expect([answer.status, JSON.parse(answer.text)]).toEqual([200, DATA]);
    },
  );
});

describe('a GET', () => {
  it.each<Sent>([
    {},
    { accept: 'application/graphql-response+json' },
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-mode': 'cors' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'text/plain;application/json' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'multipart/form-data' },
    { 'content-type': 'application/json;charset=latin1' },
    { 'content-type': 'TEXT/PLAIN' },
  ])(
    'from a program or from our own page (%o) is answered: it has no body to misread',
    async (h) => {
      const answer = await get(h);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([200, DATA]);
    },
  );

  it.each<Sent>([
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: '*/*' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', origin: 'https://b.example' },
    { 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' },
    { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain;application/json' },
    { 'sec-fetch-site': 'cross-site', cookie: 'session=1', 'x-requested-with': 'x' },
  ])('that a page of another site made a browser send (%o) is 403', async (headers) => {
    const answer = await get(headers);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: 'FORBIDDEN' } }],
    });
  });

  it('identifies its user by the authorization header alone: cookies are not read', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ viewer { username } }')}`;
    const headers = { cookie: `authorization=${basic(ADA)['authorization']}; x-username=ada` };
    const answer = await lab.call(path, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('another site', () => {
  it.each(['cross-site', 'same-site'])(
    'cannot run a mutation: a link on a %s page is 403',
    async (site) => {
      const query = 'mutation { updateSlice(id: "x", tags: []) { name } }';
      const path = `/graphql?query=${encodeURIComponent(query)}`;
      const answer = await lab.call(path, { headers: { ...basic(ADA), 'sec-fetch-site': site } });
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        403,
        { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
      ]);
    },
  );

  it.each(['cross-site', 'same-site'])(
    'cannot run a subscription: an EventSource on a %s page is 403',
    async (site) => {
      const query = `subscription { contextChanged(name: "${CONTEXT}") { name } }`;
      const headers = { ...basic(ADA), accept: 'text/event-stream', 'sec-fetch-site': site };
      const path = `/graphql?query=${encodeURIComponent(query)}`;
      const answer = await lab.call(path, { headers });
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
        403,
        { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
      ]);
    },
  );
});
