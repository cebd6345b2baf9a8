import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Encoding } from '../../support/http/rest-parameters.ts';
import { askWithHeaders, bearer, type Headers } from '../../support/http/rest-with-headers.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';

const ORIGIN = 'https://noc.example';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)], settings: { corsOrigins: [ORIGIN] } });
});

afterAll(() => lab.close());

const statusOf = async (headers: Headers, encoding: Encoding = 'query') =>
  (await askWithHeaders(lab, 'groups', headers, {}, { encoding })).status;

const MESSAGE =
  'A page of another site must send a Bearer token or the header graphql-require-preflight';

/** Headers of a request that a page of another site makes a browser send. */
const OF_OTHERS: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', origin: 'https://b.example' },
  { 'sec-fetch-site': 'cross-site', origin: ORIGIN },
];

/** Headers of programs other than browsers, of our own pages, and of the address bar. */
const OWN: readonly Headers[] = [
  {},
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', origin: 'https://own.example' },
  { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
];

describe('credentials that a browser has stored and adds on its own', () => {
  it.each(OF_OTHERS)('do not count for a page of another site: %o', async (headers) => {
    for (const encoding of ['query', 'form', 'multipart'] as const) {
      const given = { ...basic(ADA), ...headers };
      const { status, text } = await askWithHeaders(lab, 'groups', given, {}, { encoding });
      expect([status, JSON.parse(text)]).toEqual([403, { status: 'ERROR', message: MESSAGE }]);
    }
  });

  it('are not even checked there, so no page can use up the failures of a user', async () => {
    const statements = lab.watchStatements();
    const wrong = basic({ ...ADA, token: 'wrong' });
    expect(await statusOf({ ...wrong, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(statements()).toEqual([]);
  });

  it('do not count for a form with only an origin header, as older browsers send it', async () => {
    const headers = { ...basic(ADA), origin: 'https://b.example' };
    expect(await statusOf(headers, 'form')).toBe(403);
    expect(await statusOf(headers, 'multipart')).toBe(403);
    // Older browsers send no origin with a GET, and programs may send any.
    expect(await statusOf(headers)).toBe(200);
  });

  it.each(OWN)('count for a program and for our own page: %o', async (headers) => {
    for (const encoding of ['query', 'form', 'multipart', 'json'] as const) {
      expect(await statusOf({ ...basic(ADA), ...headers }, encoding)).toBe(200);
    }
  });

  it('count with a JSON body, which needs a preflight', async () => {
    for (const headers of OF_OTHERS) {
      expect(await statusOf({ ...basic(ADA), ...headers }, 'json')).toBe(200);
    }
  });
});

describe('credentials that no browser adds on its own', () => {
  it.each<[string, Headers]>([
    ['a Bearer token', bearer(ADA)],
    ['Basic with x-username', { ...basic(ADA), 'x-username': 'ada' }],
    ['Basic with graphql-require-preflight', { ...basic(ADA), 'graphql-require-preflight': '1' }],
  ])('(%s) count from anywhere', async (_, given) => {
    for (const headers of OF_OTHERS) {
      for (const encoding of ['query', 'form'] as const) {
        expect(await statusOf({ ...given, ...headers }, encoding)).toBe(200);
      }
    }
  });

  it('include parameters: nothing changes for callers who send them', async () => {
    for (const headers of OF_OTHERS) {
      const ambient = { ...basic({ ...ADA, token: 'of a proxy' }), ...headers };
      for (const encoding of ['query', 'form'] as const) {
        expect((await lab.rest('groups', {}, { encoding, headers: ambient })).status).toBe(200);
      }
    }
  });

  it('may be sent from the configured origins, after a preflight', async () => {
    const preflight = await lab.call(lab.path('groups'), {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,x-username',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/\bauthorization\b/);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/\bx-username\b/);
    expect(preflight.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
  });
});
