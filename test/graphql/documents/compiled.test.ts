import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { schema } from '../../../schema/schema.ts';
import { type Params, startReference } from '../../support/graphql/reference-service.ts';
import type { HttpAnswer } from '../../support/http/http-call.ts';
import { post } from '../../support/http/rest-parameters.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { labValues } from '../../support/lab/lab-values.ts';
import { ADA, basic, startTestService, type TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { randomDocuments } from '../../support/random/random-documents.ts';
import type { RandomDocument } from '../../support/random/write-document.ts';

/** Two servers on one database: one keeps compiled operations at once, the other never does. */
let compiling: TestService;
let plain: TestService;
let reference: ReturnType<typeof startReference>;

beforeAll(async () => {
  const meters = [meter(0, 2), meter(1, 5), meter(2, 11)];
  compiling = await startLab({
    groups: [
      group(1, { meters, sampling_rate: 10 }),
      group(2, { key_kind: 'ip' }),
      group(3, {
        key_kind: 'crosskey',
        crosskey: { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) },
      }),
    ],
    lines: Array.from({ length: 60 }, (_, i) => [
      {
        group: guidOf(1),
        key: `k${i % 7}`,
        ts: T0 + i * 700,
        values: { 0: i === 0 ? 2n ** 60n : i, 1: i - 20, 2: i },
        ...(i % 2 === 0 && { probe: 'p1' }),
        ...(i < 3 && { label: `label ${i}`, description: 'd', attributes: { n: `${i}` } }),
      },
      { group: guidOf(2), key: `0A.00.00.0${i % 5}`, ts: T0 + i * 700, values: { 0: i } },
      { group: guidOf(3), key: `k${i % 7}\\0A.00.00.0${i % 5}`, ts: T0 + DAY, values: { 0: i } },
    ]).flat(),
    settings: { compileAfter: 1 },
    // The default pool would show the measured free space, which changes.
    declaration: { pools: [{ name: 'oper', path: '/nowhere', total_size: 10, avail_size: 5 }] },
  });
  const { databaseUrl } = compiling;
  plain = await startTestService({ databaseUrl, settings: { compileAfter: 0 } });
  plain.clock.seconds = compiling.clock.seconds;
  reference = startReference(databaseUrl, compiling.clock);
});

afterAll(async () => {
  await reference?.close();
  await plain?.close();
  await compiling?.close();
});

type Ways = { readonly headers?: Readonly<Record<string, string>> };

const ask = (to: TestService, document: object, { headers = basic(ADA) }: Ways = {}) => {
  const sent = post('application/json', JSON.stringify(document));
  return to.call('/graphql', { ...sent, headers: { ...sent.headers, ...headers } });
};

/** Only Yoga negotiates this header, so the request never takes the fast path. */
const BY_YOGA = { accept: 'application/json, */*;q=0.1' };

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/**
 * An answer with its errors sorted, since concurrent fields fail in any order, and without the
 * headers that differ each time. Data are compared as text, so they must be equal byte for byte.
 *
 * An error that leaves no data at all ends the answer at once. Which errors of other fields were
 * found by then is a matter of time: only that there are errors is compared.
 */
function plainly({ status, text, headers }: HttpAnswer): object {
  const { errors, ...others } = text === '' ? {} : JSON.parse(text);
  const { date: _, 'x-request-id': __, 'content-length': length, ...same } = headers;
  const rest = JSON.stringify(others);
  if (others.data === null) return { status, headers: same, rest, isFailed: errors.length > 0 };
  return { status, headers: same, length, rest, errors: errors?.sort(byText) };
}

/** The answers through Yoga, once and kept, and of the fast path. */
async function threeWays(document: object, ways: Ways = {}): Promise<object[]> {
  const headers = { ...basic(ADA), ...ways.headers };
  // Yoga compiles the document on its first request; from then on it takes the fast path.
  const answers = [
    await ask(plain, document, { headers }),
    await ask(compiling, document, { headers: { ...headers, ...BY_YOGA } }),
    await ask(compiling, document, { headers }),
  ];
  return answers.map(plainly);
}

/** Expects the same answer on all ways, and with these credentials, that of graphql-js. */
async function expectSame(document: object, ways: Ways = {}): Promise<object> {
  const [once = {}, throughYoga, hot] = await threeWays(document, ways);
  expect(throughYoga).toEqual(once);
  expect(hot).toEqual(once);
  if (!ways.headers) await expectAsByGraphQLJs(document);
  return once;
}

async function expectAsByGraphQLJs(document: object): Promise<void> {
  const expected = await reference.ask(document as Params, basic(ADA));
  if (!expected) return;
  const { status, text } = await ask(compiling, document);
  const { errors: _, ...data } = expected;
  const { errors, extensions: __, ...others } = JSON.parse(text);
  // Refused before it was run, for a limit or its parameters, which the reference does not check.
  if (status !== 200 && expected.data !== undefined) return;
  expect(JSON.stringify(others), text).toBe(JSON.stringify(data));
  if (data.data === null) expect(errors).not.toEqual([]);
  else expect(errors?.sort(byText)).toEqual(expected.errors?.slice().sort(byText));
}

/** Ids for `node` and `nodes` to find. */
async function someIds(): Promise<string[]> {
  const { text } = await ask(plain, {
    query: `{ contexts { id slices { id } counterGroups { id meters { id }
      keys(first: 2) { edges { node { id } } } } } }`,
  });
  return [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id = '']) => id);
}

const leavesWith = (ids: readonly string[]) =>
  labValues({
    contexts: ['lab'],
    groups: [guidOf(1), guidOf(2), guidOf(3)],
    crosskeyGroups: [guidOf(3)],
    keys: ['k0', 'k1', '0A.00.00.01', 'k0\\0A.00.00.00'],
    meters: [0, 1, 2],
    probes: ['p1'],
    nodes: [],
    ids,
    from: T0,
    to: T0 + DAY,
  });

const asBody = ({ query, operationName, variables }: RandomDocument): object => ({
  query,
  variables,
  ...(operationName !== null && { operationName }),
});

const RESPONSE_JSON = 'application/graphql-response+json';

describe('compiled operations', () => {
  it.each([
    ['without directives', { directives: false, introspection: true }],
    ['with @skip and @include', { directives: true }],
  ])(
    'answer any document as graphql-js does: %s',
    async (_, options) => {
      const ids = await someIds();
      expect(ids.length).toBeGreaterThan(10);
      const leaves = leavesWith(ids);
      const documents = randomDocuments(schema, { leaves, maxDepth: 6, ...options });
      const isSame = fc.asyncProperty(documents, async (document) => {
        await expectSame(asBody(document));
      });
      await fc.assert(isSame, { numRuns: Math.ceil(FUZZ_CASES / 2) });
    },
    600_000,
  );

  const TOPPER = `query Q($group: Guid!, $window: WindowInput, $items: Int, $name: String = "lab") {
    context(name: $name) { counterGroup(guid: $group) {
      topper(window: $window, maxItems: $items) { total keys { key metric } } } } }
    query Other { viewer { username } }`;
  const interval = { from: T0, to: T0 + DAY };
  const given = { group: guidOf(1), window: { interval } };

  it.each<[string, object]>([
    ['all variables are valid', given],
    ['a variable is omitted, so that a default applies', { ...given, items: undefined }],
    ['null is in place of a default', { ...given, items: null }],
    ["null is in place of the variable's default", { ...given, name: null }],
    ['a variable is missing', { window: { interval } }],
    ['a variable is of another type', { ...given, items: 'many' }],
    ['a @oneOf input has two fields', { ...given, window: { interval, recentSeconds: 5 } }],
    ['a @oneOf input has no field', { ...given, window: {} }],
    ['an input object has an unknown field', { ...given, window: { since: 5 } }],
    ['there is an unknown variable', { ...given, more: 1 }],
    [
      'variables are named like properties that every object has',
      { ...given, ['__proto__']: 1, constructor: 2 },
    ],
    ['a number is not an Int', { ...given, items: 2 ** 40 }],
    ['an argument is invalid for its field', { ...given, items: 0 }],
    ['a GUID is invalid', { ...given, group: 'x' }],
  ])('answer as graphql-js does when %s', async (_, variables) => {
    await expectSame({ query: TOPPER, operationName: 'Q', variables });
  });

  const CONDITIONED = `query ($x: Boolean!, $y: Boolean = true) {
    viewer { name: username @include(if: $x) ...Seen @skip(if: $y) ... @include(if: $y) { __typename } }
    context(name: "lab") @skip(if: false) {
      name @include(if: $x) name @skip(if: $x)
      counterGroups @include(if: $y) { guid } counterGroups @include(if: $x) { guid name }
      ...Groups @include(if: $x) ...Groups
      totalWindow @include(if: true) @skip(if: $x) { from }
      nodeName @include(if: false) } }
    fragment Seen on Viewer { username contexts { name } }
    fragment Groups on Context { probes @skip(if: $y) counterGroup(guid: "${guidOf(1)}") { name } }`;

  it.each<[string, object]>([
    ['everything is included', { x: true, y: true }],
    ['only the first half is included', { x: true, y: false }],
    ['only the other half is included', { x: false, y: true }],
    ['hardly anything is included', { x: false, y: false }],
    ['a default decides', { x: true }],
    ['null is in place of a default', { x: true, y: null }],
    ['a condition is null', { x: null, y: true }],
    ['a condition is missing', { y: true }],
    ['a condition is not a boolean', { x: 'true', y: true }],
  ])('apply @skip and @include as graphql-js does when %s', async (_, variables) => {
    await expectSame({ query: CONDITIONED, variables });
  });

  it('answer as graphql-js does for each combination of conditions in turn', async () => {
    const both = [true, false];
    for (const x of both) {
      for (const y of both) await expectSame({ query: CONDITIONED, variables: { x, y } });
    }
  });

  it.each<[string, object]>([
    ['fields called `then` and `toJSON`', { query: '{ toJSON: viewer { then: username } }' }],
    ['a field called `__proto__`', { query: '{ __proto__: viewer { __proto__: username } }' }],
    [
      'a condition called `__proto__`',
      {
        query: 'query ($__proto__: Boolean!) { viewer @include(if: $__proto__) { username } }',
        variables: JSON.parse('{ "__proto__": true }'),
      },
    ],
  ])('treat %s like any other', async (_, document) => {
    expect(await expectSame(document)).toMatchObject({ status: 200, errors: undefined });
  });

  it('answer a document with many conditions, whose plans are not kept', async () => {
    const names = Array.from({ length: LIMITS.compiledConditions + 1 }, (_, i) => `$c${i}`);
    const query = `query (${names.map((name) => `${name}: Boolean!`).join(' ')}) { viewer {
      ${names.map((name, i) => `a${i}: username @include(if: ${name})`).join(' ')} } }`;
    const variables = Object.fromEntries(names.map((name, i) => [name.slice(1), i % 2 === 0]));
    await expectSame({ query, variables });
  });

  it.each<[string, object]>([
    ['names the other operation', { operationName: 'Other' }],
    ['names neither of two operations', {}],
    ['names an operation that does not exist', { operationName: 'Third' }],
    ['has an empty operation name', { operationName: '' }],
    ['requests the plan', { operationName: 'Q', extensions: { plan: true } }],
    ['has other extensions', { operationName: 'Q', extensions: { tracing: {} } }],
    ['has an unknown parameter', { operationName: 'Q', batch: 1 }],
    ['has variables that are a list', { operationName: 'Q', variables: [] }],
  ])('answer as graphql-js does when the request %s', async (_, more) => {
    await expectSame({ query: TOPPER, operationName: 'Q', variables: given });
    await expectSame({ query: TOPPER, variables: given, ...more });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a caller without credentials', { authorization: '' }],
    ['an unknown user', basic({ username: 'mallory', token: 'mallory-token' })],
    ['a user with a wrong token', basic({ ...ADA, token: 'wrong' })],
    [
      'a caller without credentials who accepts graphql-response+json',
      { authorization: '', accept: RESPONSE_JSON },
    ],
    ['a user who accepts graphql-response+json', { accept: RESPONSE_JSON }],
    ['a user who accepts both media types', { accept: `${RESPONSE_JSON}, application/json` }],
    ['a user who accepts only HTML', { accept: 'text/html' }],
    [
      'a user with a Bearer token',
      { authorization: `Bearer ${ADA.token}`, 'x-username': ADA.username },
    ],
  ])('answer %s as graphql-js does', async (_, headers) => {
    const body = { query: TOPPER, operationName: 'Q', variables: given };
    await expectSame(body);
    const once = await ask(plain, body, { headers: { ...basic(ADA), ...headers } });
    const hot = await ask(compiling, body, { headers: { ...basic(ADA), ...headers } });
    expect(plainly(hot)).toEqual(plainly(once));
  });

  it('are never confused with those of a similar document', async () => {
    const one = '{ viewer { username } }';
    const two = '{ viewer { username contexts { name } } }';
    for (const query of [one, two, one, two]) await expectSame({ query });
  });

  it.each(['', '\n#'])(
    'are not found by an operation name that the document lacks: %j',
    async (name) => {
      const query = '{ viewer { username } }';
      for (const text of [query, `#\n${query}`]) await expectSame({ query: text });
      const answer = await expectSame({ query, operationName: name });
      expect(answer).toMatchObject({ status: 400 });
    },
  );

  it('send as many statements when they are kept', async () => {
    const body = { query: TOPPER, operationName: 'Q', variables: given };
    await expectSame(body);
    const counts: number[] = [];
    for (const service of [plain, compiling]) {
      service.emptyCaches();
      const statements = service.watchStatements();
      await ask(service, body);
      counts.push(statements().length);
    }
    expect(counts[1]).toBe(counts[0]);
  });
});
