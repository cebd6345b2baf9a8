import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpAnswer, HttpCall } from '../support/http/http-call.ts';
import { post } from '../support/http/rest-parameters.ts';
import { group, startLab } from '../support/lab/lab.ts';
import {
  ADA,
  CONTEXT,
  ENDPOINT_NAMES,
  startTestService,
  type TestService,
} from '../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

const WHO = { username: ADA.username, api_token: ADA.token, context: CONTEXT };

/** Statuses and messages depend neither on the endpoint nor on the caller (decision 1). */
async function expectEverywhere(call: HttpCall, status: number): Promise<HttpAnswer> {
  let last: HttpAnswer | undefined;
  for (const endpoint of ENDPOINT_NAMES) {
    for (const query of ['', `?${new URLSearchParams(WHO)}`, '?api_token=wrong']) {
      last = await lab.call(lab.path(endpoint) + query, call);
      expect(JSON.parse(last.text)).toEqual({
        status: 'ERROR',
        message: expect.stringMatching(/./),
      });
      expect(last.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(last.status).toBe(status);
    }
  }
  return last as HttpAnswer;
}

describe('a method other than GET, HEAD and POST', () => {
  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is 405 with Allow', async (method) => {
    const answer = await expectEverywhere({ method }, 405);
    expect(answer.headers.allow).toBe('GET, HEAD, POST');
  });
});

describe('a body', () => {
  it.each([
    ['is cut off', '{"context": "lab"'],
    ['is a list', '[{"context": "lab"}]'],
    ['is a string', '"context=lab"'],
    ['is a number', '17'],
    ['is null', 'null'],
    ['has a scalar twice', '{"maxitems": 1, "maxitems": 2}'],
    ['has single quotes', "{'context': 'lab'}"],
    ['is followed by something else', '{} {}'],
  ])('of JSON that %s is 400', async (_, body) => {
    await expectEverywhere(post('application/json', body), 400);
  });

  it('of bytes that are not UTF-8 is 400', async () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    await expectEverywhere(post('application/json', bytes), 400);
    await expectEverywhere(
      post('application/x-www-form-urlencoded', Buffer.from([0x61, 0xff])),
      400,
    );
  });

  it.each([
    ['without a boundary', 'multipart/form-data'],
    ['with another boundary', 'multipart/form-data; boundary=there'],
  ])('of multipart %s is 400', async (_, type) => {
    const body = '--here\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--here--\r\n';
    await expectEverywhere(post(type, body), 400);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/json-patch+json',
    'application/jsonx',
    'nonsense',
  ])('of type %s is 415', async (type) => {
    await expectEverywhere(post(type, 'context=lab'), 415);
  });

  it('without a type is 415', async () => {
    await expectEverywhere({ method: 'POST', body: 'context=lab' }, 415);
  });

  it.each([
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json ; charset="UTF-8"',
  ])('of type %s is JSON', async (type) => {
    const answer = await lab.call(lab.path('slices'), post(type, JSON.stringify(WHO)));
    expect(answer.status).toBe(200);
  });

  it('that is missing or empty is not an error, whatever its type', async () => {
    const query = `${lab.path('slices')}?${new URLSearchParams(WHO)}`;
    expect((await lab.call(query, { method: 'POST' })).status).toBe(200);
    expect((await lab.call(query, post('application/x-www-form-urlencoded', ''))).status).toBe(200);
  });

  it('of exactly 64 KiB is read', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const answer = await lab.call(lab.path('slices'), post(type, bodyOf(type, 64 * 1024)));
      expect(answer.status).toBe(200);
    }
  });

  it('of one byte more is 413', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      await expectEverywhere(post(type, bodyOf(type, 64 * 1024 + 1)), 413);
    }
  });

  it('without a content-length is 413 when it grows past the limit', async () => {
    const answer = await postInChunks(`${lab.url}${lab.path('slices')}`, 64 * 1024 + 1);
    expect(answer).toEqual({ status: 413, error: 'ERROR' });
    const bodyWithinLimit = await postInChunks(`${lab.url}${lab.path('slices')}`, 64 * 1024);
    expect(bodyWithinLimit).toEqual({ status: 401, error: 'ERROR' });
  });

  it('may have as many bytes as are configured, for REST and for GraphQL', async () => {
    const { databaseUrl } = lab;
    const settings = { restBodyBytes: 1024, graphqlBodyBytes: 2048 };
    const own = await startTestService({ databaseUrl, settings });
    const statusOf = async (path: string, type: string, body: string) =>
      (await own.call(path, post(type, body))).status;
    const json = 'application/json';
    const document = (size: number) => `{"query":"{ __typename }"}`.padEnd(size);
    try {
      expect(await statusOf(own.path('slices'), json, bodyOf(json, 1024))).toBe(200);
      expect(await statusOf(own.path('slices'), json, bodyOf(json, 1025))).toBe(413);
      expect(await statusOf('/graphql', json, document(2048))).toBe(200);
      expect(await statusOf('/graphql', json, document(2049))).toBe(413);
    } finally {
      await own.close();
    }
  });

  it('that was refused leaves the server answering', async () => {
    expect((await lab.rest('slices')).status).toBe(200);
  });
});

/** A body of `size` bytes, with the parameters and padding. */
function bodyOf(type: string, size: number): string {
  const isJson = type === 'application/json';
  const render = (pad: string) =>
    isJson ? JSON.stringify({ ...WHO, pad }) : new URLSearchParams({ ...WHO, pad }).toString();
  return render('x'.repeat(size - render('').length));
}

/** Sends a form in two chunks, without a content-length. */
function postInChunks(url: string, size: number): Promise<{ status: number; error: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => {
        const { status: error } = JSON.parse(text) as { status: string };
        resolve({ status: response.statusCode ?? 0, error });
      });
    });
    sent.once('error', reject);
    const half = Math.floor(size / 2);
    sent.write('a='.padEnd(half, 'x'));
    sent.end('x'.repeat(size - half));
  });
}
