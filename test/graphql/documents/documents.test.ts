import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, startTestService, type TestService } from '../../support/lab/service.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const VIEWER = 'query Viewer { viewer { username } }';
const TOPPER = `query Topper($items: Int!) { context(name: "lab") { counterGroup(guid: "${guidOf(1)}") {
  topper(maxItems: $items, window: { interval: { from: ${T0}, to: ${T0 + 60} } }) { total } } } }`;

const TRUSTED = new Map([
  ['a-name-of-its-own', VIEWER],
  [sha256(TOPPER), TOPPER],
]);

let open: TestService;
let strict: TestService;

beforeAll(async () => {
  open = await startLab({
    groups: [group(1)],
    lines: [{ group: guidOf(1), key: 'k', ts: T0, values: { 0: 7 } }],
    documents: TRUSTED,
  });
  strict = await startTestService({
    databaseUrl: open.databaseUrl,
    documents: TRUSTED,
    settings: { trustedOnly: true },
  });
});

afterAll(async () => {
  await strict?.close();
  await open?.close();
});

type Sent = Readonly<Record<string, unknown>>;

/** Asks with two `accept` headers, one for the fast path and one for Yoga. */
async function ask(to: TestService, body: Sent, headers = basic(ADA)) {
  const sent = post('application/json', JSON.stringify(body));
  const answers = [];
  for (const accept of ['application/json', 'application/json, */*;q=0.1']) {
    const all = { ...sent.headers, ...headers, accept };
    const { status, text } = await to.call('/graphql', { ...sent, headers: all });
    answers.push({ status, ...JSON.parse(text) });
  }
  expect(answers[1]).toEqual(answers[0]);
  return answers[0];
}

const refusal = (status: number, code: string, message: unknown) => ({
  status,
  errors: [{ message, extensions: { code } }],
});

const persisted = (hash: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
});

const TOTAL = { context: { counterGroup: { topper: { total: 7 } } } };

describe('trusted documents', () => {
  it.each<[string, Sent, object]>([
    ['by a name', { documentId: 'a-name-of-its-own' }, { viewer: { username: 'ada' } }],
    ['by their hash', { documentId: sha256(TOPPER), variables: { items: 1 } }, TOTAL],
    [
      'by a hash with its algorithm',
      { documentId: `sha256:${sha256(TOPPER)}`, variables: { items: 1 } },
      TOTAL,
    ],
    [
      'by a name, with the name of an operation',
      { documentId: 'a-name-of-its-own', operationName: 'Viewer' },
      { viewer: { username: 'ada' } },
    ],
    ['as persisted queries', { ...persisted(sha256(TOPPER)), variables: { items: 1 } }, TOTAL],
    ['by their text', { query: TOPPER, variables: { items: 1 } }, TOTAL],
  ])('are found %s', async (_, body, data) => {
    expect(await ask(open, body)).toEqual({ status: 200, data });
    expect(await ask(strict, body)).toEqual({ status: 200, data });
  });

  it('are refused to a caller with a wrong token', async () => {
    const answer = await ask(
      strict,
      { documentId: 'a-name-of-its-own' },
      basic({ ...ADA, token: 'wrong' }),
    );
    expect(answer).toEqual(refusal(401, 'UNAUTHENTICATED', 'Invalid API token'));
  });

  it('require their variables like any other document', async () => {
    const answer = await ask(strict, { documentId: sha256(TOPPER) });
    expect(answer).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it.each<[string, Sent]>([
    ['another document', { query: '{ viewer { username } }' }],
    ['one that differs by a space', { query: `${VIEWER} ` }],
    ['the schema', { query: '{ __schema { queryType { name } } }' }],
    ['one that does not parse', { query: '{' }],
    [
      'one with its correct hash',
      { query: '{ __typename }', ...persisted(sha256('{ __typename }')) },
    ],
  ])('are the only documents that are answered, not %s', async (_, body) => {
    expect(await ask(strict, body)).toEqual(
      refusal(
        403,
        'FORBIDDEN',
        'Only trusted documents are answered here, send the hash of one as documentId',
      ),
    );
  });

  it.each<[string, Sent]>([
    ['an unknown hash', { documentId: sha256('nobody knows') }],
    ['a name that every object has', { documentId: '__proto__' }],
    ['an unknown persisted query', persisted(sha256('nobody knows'))],
  ])('are not found by %s', async (_, body) => {
    for (const service of [open, strict]) {
      expect(await ask(service, body)).toEqual(
        refusal(200, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'),
      );
    }
  });

  it.each<[string, Sent, string]>([
    [
      'a hash that is a number',
      { documentId: 5 },
      'documentId must be the hash of a document, got 5',
    ],
    [
      'another version of persistedQuery',
      { extensions: { persistedQuery: { version: 2, sha256Hash: 'x' } } },
      'persistedQuery must be',
    ],
    [
      'a persistedQuery without a hash',
      { extensions: { persistedQuery: { version: 1 } } },
      'persistedQuery must be',
    ],
    [
      'the hash of another document',
      { query: VIEWER, ...persisted(sha256(TOPPER)) },
      'sha256Hash must be the SHA-256 of the query',
    ],
  ])('cannot be requested by %s', async (_, body, message) => {
    expect(await ask(open, body)).toEqual(
      refusal(400, 'BAD_USER_INPUT', expect.stringContaining(message)),
    );
  });
});

describe('automatic persisted queries', () => {
  it('are known once a signed-in caller has sent the document and its hash', async () => {
    const query = '{ contexts { name } }';
    const hash = persisted(sha256(query));
    expect(await ask(open, hash)).toMatchObject({
      errors: [{ message: 'PersistedQueryNotFound' }],
    });
    const data = { contexts: [{ name: 'lab' }] };
    expect(await ask(open, { query, ...hash })).toEqual({ status: 200, data });
    for (let again = 0; again < 6; again += 1) {
      expect(await ask(open, hash)).toEqual({ status: 200, data });
    }
  });

  it('work by GET too', async () => {
    const query = '{ contexts { name nodeName } }';
    const extensions = JSON.stringify(persisted(sha256(query)).extensions);
    const get = async (more: Readonly<Record<string, string>>) => {
      const search = new URLSearchParams({ extensions, ...more });
      const { text } = await open.call(`/graphql?${search}`, { headers: basic(ADA) });
      return JSON.parse(text);
    };
    expect(await get({})).toMatchObject({ errors: [{ message: 'PersistedQueryNotFound' }] });
    const data = { contexts: [{ name: 'lab', nodeName: 'primary' }] };
    expect(await get({ query })).toEqual({ data });
    expect(await get({})).toEqual({ data });
  });

  it('are not accepted from a caller without credentials', async () => {
    const query = '{ __typename viewer { username } }';
    const hash = persisted(sha256(query));
    await ask(open, { query, ...hash }, {});
    expect(await ask(open, hash)).toMatchObject({
      errors: [{ message: 'PersistedQueryNotFound' }],
    });
  });
});
