import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../support/http/rest-parameters.ts';
import { HOSTS, host, labelsOf, startEditingLab } from '../../support/lab/editing-lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const SUBSCRIPTION = `subscription { contextChanged(name: "${CONTEXT}") { name } }`;
const UPDATE = `updateKeys(context: "${CONTEXT}", counterGroup: "${HOSTS}", keys: $keys) {
  key label
}`;
const MUTATION = `mutation Changes($keys: [KeyUpdateInput!]!) { ${UPDATE} }`;
const BOTH = `query Asks { viewer { username } } ${MUTATION}`;

let service: TestService;

beforeAll(async () => {
  // Each operation is compiled on its first request.
  service = await startEditingLab({
    settings: { compileAfter: 1 },
    documents: new Map([
      ['waits', SUBSCRIPTION],
      ['changes', MUTATION],
    ]),
  });
});

afterAll(() => service.close());

const TYPES = [
  'application/json',
  'application/graphql-response+json',
  'application/json, */*;q=0.1',
  '*/*',
];

type Sent = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

const asPost = (body: Sent, headers: Headers) => {
  const sent = post('application/json', JSON.stringify(body));
  return service.call('/graphql', { ...sent, headers: { ...sent.headers, ...headers } });
};

const asGet = (parameters: Readonly<Record<string, string>>, headers: Headers) =>
  service.call(`/graphql?${new URLSearchParams(parameters)}`, { headers });

let changes = 0;

/** Variables that set a label to a text it never had, and the expected answer. */
function nextChange() {
  changes += 1;
  const label = `change ${changes}`;
  const data = { updateKeys: [{ key: host(1), label }] };
  return {
    label,
    variables: { keys: [{ key: host(1), label }] },
    answer: JSON.stringify({ data }),
  };
}

describe.each(TYPES)('to callers that accept %s', (accept) => {
  const headers = { accept, ...basic(ADA) };

  it('a mutation runs each time it is posted, and is never answered from a cache', async () => {
    for (let time = 0; time < 4; time += 1) {
      const { label, variables, answer } = nextChange();
      for (const body of [{ query: MUTATION }, { documentId: 'changes' }]) {
        const { status, text } = await asPost({ ...body, variables }, headers);
        expect([status, text]).toEqual([200, answer]);
        expect(await labelsOf(service, [host(1)])).toEqual([label]);
        // A change in between, so that a cached answer would be wrong.
        await asPost({ query: MUTATION, ...nextChange() }, headers);
      }
    }
  });

  it('a document with a query and a mutation runs the operation that is named', async () => {
    for (let time = 0; time < 3; time += 1) {
      const asked = await asPost({ query: BOTH, operationName: 'Asks' }, headers);
      expect([asked.status, asked.text]).toEqual([
        200,
        expect.stringContaining('{"data":{"viewer":{"username":"ada"}}}'),
      ]);
      const { variables, answer } = nextChange();
      const changed = await asPost({ query: BOTH, operationName: 'Changes', variables }, headers);
      expect([changed.status, changed.text]).toEqual([200, answer]);
    }
  });

  it('a mutation by GET is 405 and changes nothing, however it is identified', async () => {
    const [before] = await labelsOf(service, [host(1)]);
    const { variables } = nextChange();
    const given = { variables: JSON.stringify(variables) };
    const persistedQuery = { version: 1, sha256Hash: sha256(MUTATION) };
    await asPost(
      { query: MUTATION, variables: { keys: [] }, extensions: { persistedQuery } },
      headers,
    );
    for (const answer of [
      await asGet({ query: MUTATION, ...given }, headers),
      await asGet({ query: BOTH, operationName: 'Changes', ...given }, headers),
      await asGet({ extensions: JSON.stringify({ persistedQuery }), ...given }, headers),
    ]) {
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
      expect(answer.text).toContain('"errors"');
    }
    // Only a body can name a document by its id.
    const named = await asGet({ documentId: 'changes', ...given }, headers);
    expect(named.text).toContain('"errors"');
    const head = `/graphql?${new URLSearchParams({ query: MUTATION, ...given })}`;
    expect((await service.call(head, { method: 'HEAD', headers })).status).toBe(405);
    expect(await labelsOf(service, [host(1)])).toEqual([before]);
  });
});

describe('an event stream', () => {
  const headers = { accept: 'text/event-stream', ...basic(ADA) };

  it('carries the answer of a posted mutation', async () => {
    const { variables, answer } = nextChange();
    const { status, text } = await asPost({ query: MUTATION, variables }, headers);
    expect([status, text]).toEqual([200, expect.stringContaining(`event: next\ndata: ${answer}`)]);
    expect(text).toContain('event: complete');
  });

  it('is refused to a mutation by GET', async () => {
    const [before] = await labelsOf(service, [host(1)]);
    const given = { variables: JSON.stringify(nextChange().variables) };
    expect((await asGet({ query: MUTATION, ...given }, headers)).status).toBe(405);
    expect(await labelsOf(service, [host(1)])).toEqual([before]);
  });
});

describe('a request that a page of another site makes a browser send', () => {
  it.each([
    ['application/x-www-form-urlencoded', 415],
    ['text/plain', 415],
    ['multipart/form-data; boundary=x', 415],
  ])('as %s changes nothing: %i', async (type, expected) => {
    const [before] = await labelsOf(service, [host(1)]);
    const { variables } = nextChange();
    const form = { query: MUTATION, variables: JSON.stringify(variables) };
    const body =
      type === 'text/plain'
        ? JSON.stringify({ query: MUTATION, variables })
        : new URLSearchParams(form).toString();
    const headers = { 'content-type': type, ...basic(ADA), 'sec-fetch-site': 'cross-site' };
    const { status } = await service.call('/graphql', { method: 'POST', headers, body });
    expect(status).toBe(expected);
    expect(await labelsOf(service, [host(1)])).toEqual([before]);
  });
});

describe('several mutations in one document', () => {
  it('run in their order, and one that is refused does not stop the others', async () => {
    const change = (name: string, key: string, label: string) =>
      `${name}: updateKeys(context: "${CONTEXT}", counterGroup: "${HOSTS}",
        keys: [{ key: "${key}", label: "${label}" }]) { label }`;
    const names = Array.from({ length: 40 }, (_, i) => `m${i}`);
    const query = `mutation { ${names.map((name) => change(name, host(1), name)).join(' ')}
      bad: ${change('x', 'no host', 'x').slice(3)} last: ${change('x', host(2), 'last').slice(3)} }`;
    type Answered = Record<string, { label: string }[] | null>;
    const { data, errors } = await service.graphql<Answered>(query);
    expect(names.map((name) => data[name]?.[0]?.label)).toEqual(names);
    expect([data['bad'], data['last']]).toEqual([null, [{ label: 'last' }]]);
    expect(errors?.map(({ path }) => path)).toEqual([['bad']]);
    expect(await labelsOf(service, [host(1), host(2)])).toEqual(['m39', 'last']);
  });

  it('are limited to 100', async () => {
    const one = `updateKeys(context: "${CONTEXT}", counterGroup: "${HOSTS}", keys: []) { key }`;
    const many = Array.from({ length: 101 }, (_, i) => `m${i}: ${one}`).join(' ');
    const { status, errors } = await service.graphql(`mutation { ${many} }`);
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'LIMIT']);
  });
});

describe.each([
  'application/json',
  'application/graphql-response+json',
  'multipart/mixed',
  'application/json, text/event-stream;q=0',
  'text/event-stream;q=0, */*',
])('to callers that accept only %s', (accept) => {
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
