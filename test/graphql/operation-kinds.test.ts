import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../support/rest-parameters.ts';
import { ADA, basic, CONTEXT, startTestService, type TestService } from '../support/service.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const SUBSCRIPTION = `subscription { contextChanged(name: "${CONTEXT}") { name } }`;
const MUTATION = 'mutation { updateKeys { key } }';
const BOTH = 'query Asks { viewer { username } } mutation Changes { updateKeys { key } }';

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

const expectRefused = ({ status, text }: { status: number; text: string }) => {
  expect([status, text]).toEqual([400, expect.stringContaining('"code":"BAD_USER_INPUT"')]);
  const message = 'The operation must be a query or a subscription, got "mutation"';
  expect(text).toContain(JSON.stringify(message));
  expect(text).not.toContain('"data"');
};

describe.each(TYPES)('to callers that accept %s', (accept) => {
  it.each(CALLERS)('a mutation is 400 where there is none: %s', async (_, credentials) => {
    expectRefused(await asPost({ query: MUTATION }, { accept, ...credentials }));
  });

  it('of a document with both, the query is answered and the mutation is 400', async () => {
    const headers = { accept, ...basic(ADA) };
    // More than once: what is known of a document by then changes nothing.
    for (let time = 0; time < 3; time += 1) {
      const asked = await asPost({ query: BOTH, operationName: 'Asks' }, headers);
      expect([asked.status, asked.text]).toEqual([
        200,
        expect.stringContaining('{"data":{"viewer":{"username":"ada"}}}'),
      ]);
      expectRefused(await asPost({ query: BOTH, operationName: 'Changes' }, headers));
    }
  });
});

describe.each([
  'application/json',
  'application/graphql-response+json',
  'multipart/mixed',
  'application/json, text/event-stream;q=0',
])('to callers that accept no more than %s', (accept) => {
  it('a subscription is 406, and the error says what to accept', async () => {
    const headers = { accept, ...basic(ADA) };
    const hash = JSON.stringify({
      persistedQuery: { version: 1, sha256Hash: sha256(SUBSCRIPTION) },
    });
    for (const { status, text } of [
      await asPost({ query: SUBSCRIPTION }, headers),
      await asGet({ query: SUBSCRIPTION }, headers),
      await asPost({ documentId: 'waits' }, headers),
      await asGet({ query: SUBSCRIPTION, extensions: hash }, headers),
    ]) {
      expect([status, text]).toEqual([406, expect.stringContaining('accept text/event-stream')]);
    }
  });
});
