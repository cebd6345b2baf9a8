import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../support/rest-parameters.ts';
import { ADA, basic, CONTEXT, startTestService, type TestService } from '../support/service.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const SUBSCRIPTION = 'subscription { topper { total } }';
const MUTATION = 'mutation { updateKeys { key } }';
const BOTH = 'query Asks { viewer { username } } subscription Waits { topper { total } }';

let service: TestService;

beforeAll(async () => {
  // Each operation is compiled when it is first asked for.
  service = await startTestService({
    settings: { compileAfter: 1 },
    documents: new Map([['waits', SUBSCRIPTION]]),
  });
  await service.apply({ context: CONTEXT });
  await service.addUser(ADA, [CONTEXT]);
});

afterAll(() => service.close());

const TYPES = [
  'application/json',
  'application/graphql-response+json',
  'application/json, */*;q=0.1',
  'text/event-stream',
  'multipart/mixed',
  '*/*',
];

const CALLERS = [
  ['signed in', basic(ADA)],
  ['signed out', {}],
] as const;

type Sent = Readonly<Record<string, string>>;

const asPost = (body: Sent, headers: Sent) => {
  const sent = post('application/json', JSON.stringify(body));
  return service.call('/graphql', { ...sent, headers: { ...sent.headers, ...headers } });
};

const asGet = (parameters: Sent, headers: Sent) =>
  service.call(`/graphql?${new URLSearchParams(parameters)}`, { headers });

const expectRefused = (
  { status, text }: { status: number; text: string },
  kind: 'subscription' | 'mutation',
) => {
  expect([status, text]).toEqual([400, expect.stringContaining('"code":"BAD_USER_INPUT"')]);
  expect(text).toContain(
    JSON.stringify(`The operation must be a query, got ${JSON.stringify(kind)}`),
  );
  expect(text).not.toContain('"data"');
};

describe.each(TYPES)('to callers that accept %s', (accept) => {
  it.each(CALLERS)('a subscription is 400 where there is none: %s', async (_, credentials) => {
    const headers = { accept, ...credentials };
    const hash = JSON.stringify({
      persistedQuery: { version: 1, sha256Hash: sha256(SUBSCRIPTION) },
    });
    // More than once: what is known of a document by then changes nothing.
    for (let time = 0; time < 3; time += 1) {
      expectRefused(await asPost({ query: SUBSCRIPTION }, headers), 'subscription');
      expectRefused(await asGet({ query: SUBSCRIPTION }, headers), 'subscription');
      expectRefused(await asPost({ documentId: 'waits' }, headers), 'subscription');
      expectRefused(
        await asGet({ query: SUBSCRIPTION, extensions: hash }, headers),
        'subscription',
      );
    }
  });

  it.each(CALLERS)('a mutation is 400 where there is none: %s', async (_, credentials) => {
    expectRefused(await asPost({ query: MUTATION }, { accept, ...credentials }), 'mutation');
  });

  it('of a document with both, the query is answered and the subscription is 400', async () => {
    const headers = { accept, ...basic(ADA) };
    for (let time = 0; time < 3; time += 1) {
      const asked = await asPost({ query: BOTH, operationName: 'Asks' }, headers);
      expect([asked.status, asked.text]).toEqual([
        200,
        expect.stringContaining('{"data":{"viewer":{"username":"ada"}}}'),
      ]);
      expectRefused(await asPost({ query: BOTH, operationName: 'Waits' }, headers), 'subscription');
    }
  });
});
