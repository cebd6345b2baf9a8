import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/lab/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

describe('a request for GraphQL', () => {
  it.each(['variables', 'extensions'])(
    'whose %s in the query string are not JSON is 400',
    async (name) => {
      for (const text of [' ', '{', 'undefined']) {
        const query = new URLSearchParams({ query: '{ __typename }', [name]: text });
        const answer = await service.call(`/graphql?${query}`);
        expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
          400,
          {
            errors: [
              {
                message: 'variables and extensions must be JSON objects',
                extensions: { code: 'BAD_USER_INPUT' },
              },
            ],
          },
        ]);
      }
    },
  );

  it.each(['{"query":"{__typename}"', '{', '', 'query', '{"query":"{__typename}"}}'])(
    'whose body (%s) is not JSON is 400, without the message of the parser',
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await service.call('/graphql', { method: 'POST', headers, body });
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        400,
        {
          errors: [
            {
              message: 'The request body could not be read - it is not JSON',
              extensions: { code: 'BAD_USER_INPUT' },
            },
          ],
        },
      ]);
    },
  );

  it.each(['PUT', 'PATCH', 'DELETE'])('by %s is 405, compiled or not', async (method) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ query: 'query Compiled { viewer { username } }' });
    const statusOf = async (by: string) =>
      (await service.call('/graphql', { method: by, headers, body })).status;
    for (let time = 0; time < 5; time += 1) expect(await statusOf(method)).toBe(405);
    // The request has no credentials.
    for (let time = 0; time < 5; time += 1) expect(await statusOf('POST')).toBe(401);
    expect(await statusOf(method)).toBe(405);
  });

  it('that accepts no supported media type is 406, and the error says what to accept', async () => {
    const accept = { accept: 'image/png' };
    const answer = await service.call('/graphql?query={__typename}', { headers: accept });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      406,
      { errors: [{ message: expect.stringContaining('accept application/json') }] },
    ]);
  });

  it.each(['multipart/mixed', 'text/event-stream'])(
    'that accepts only %s gets its answer in it, in well-formed HTTP',
    async (accept) => {
      const answer = await service.call('/graphql?query={__typename}', { headers: { accept } });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toContain(accept);
      expect(answer.text).toContain('{"data":{"__typename":"Query"}}');
    },
  );
});
