import fc from 'fast-check';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../domain/errors.ts';
import { schema } from '../../schema/schema.ts';
import type { HttpAnswer, HttpCall } from '../support/http/http-call.ts';
import { group, guidOf, meter, startLab, T0 } from '../support/lab/lab.ts';
import { labValues } from '../support/lab/lab-values.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import { randomDocuments } from '../support/random/random-documents.ts';
import { expectNoLeak, PATIENCE_MS } from './expect-told.ts';
import { brokenDocuments, oddRequests, postOf, withWrongVariables } from './graphql-requests.ts';

const HOSTS = guidOf(1);
const APPS = guidOf(2);
const PAIRS = guidOf(3);

let lab: TestService;

beforeAll(async () => {
  const meters = [meter(0, 2), meter(1, 5), meter(2, 12)];
  const parts = { parentguid: HOSTS, crosskeyguid_1: APPS };
  lab = await startLab({
    declaration: { pools: [{ name: 'oper', path: '/data/oper' }] },
    groups: [
      group(1, { key_kind: 'ipv4', meters }),
      group(2, { meters }),
      group(3, { key_kind: 'crosskey', crosskey: parts, meters }),
    ],
    lines: Array.from({ length: 90 }, (_, i) => ({
      group: guidOf(1 + (i % 3)),
      key: keysOf(i)[i % 3] ?? '',
      ts: T0 + 40 * i,
      values: { 0: i, 1: -i, 2: i },
      probe: 'p1',
    })),
  });
});

afterAll(() => lab.close());

/** The key of each group for a number. */
function keysOf(n: number): [string, string, string] {
  const host = `C0.A8.01.0${n % 10}`;
  const app = `app ${n % 7}`;
  return [host, app, `${host}\\${app}`];
}

const documents = randomDocuments(schema, {
  introspection: true,
  leaves: labValues({
    contexts: [CONTEXT],
    groups: [HOSTS, APPS, PAIRS],
    crosskeyGroups: [PAIRS],
    keys: [1, 2, 3].flatMap(keysOf),
    meters: [0, 1, 2],
    probes: ['p1'],
    nodes: [],
    ids: [],
    from: T0,
    to: T0 + 3600,
  }),
});

const STATUSES = new Set<number>([200, ...Object.values(ERRORS).map(({ status }) => status)]);
const CODES = new Set<string>(Object.values(ERRORS).map(({ code }) => code));

const met = new Map<number, number>();

/** The answer is GraphQL's, or an error with a code of the table of errors. */
function expectTold({ status, headers, text }: HttpAnswer, { method }: HttpCall): void {
  met.set(status, (met.get(status) ?? 0) + 1);
  expect([status, STATUSES.has(status) && status < 500]).toEqual([status, true]);
  if (method === 'HEAD') return;
  expectNoLeak(text);
  // A client that accepts nothing else gets the same as multipart or events.
  if (/^(multipart|text\/event-stream)/.test(headers['content-type'] ?? '')) return;
  const { data, errors = [] } = JSON.parse(text) as {
    data?: unknown;
    errors?: { message: string; extensions?: { code?: string } }[];
  };
  expect([typeof data, errors.length > 0]).not.toEqual(['undefined', false]);
  for (const { message, extensions } of errors) {
    const { code = 'none' } = extensions ?? {};
    expect([code, CODES.has(code), message]).toEqual([code, true, expect.stringMatching(/./)]);
    expect(message).not.toBe(ERRORS.internal.message);
  }
}

async function expectAnswer(call: HttpCall, query = ''): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  expectTold(await lab.call(`/graphql${query}`, { ...call, signal }), call);
}

const QUESTION = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${HOSTS}") {
  topper(window: { preset: ALL_AVAILABLE }) { total keys { key metric } } } } }`;

describe('any request to GraphQL', { timeout: 600_000 }, () => {
  /** Whatever is sent, the answer to a plain question stays the same. */
  async function goesOnAnswering<Case>(
    property: fc.IAsyncPropertyWithHooks<[Case]>,
    numRuns: number,
  ): Promise<void> {
    const before = (await lab.graphql(QUESTION)).text;
    await fc.assert(property, { numRuns });
    const after = await lab.graphql(QUESTION);
    expect([after.status, after.text]).toEqual([200, before]);
  }

  it('the description of the whole schema is answered', async () => {
    await expectAnswer(postOf({ query: getIntrospectionQuery() }));
  });

  it('valid documents are answered', async () => {
    const property = fc.asyncProperty(documents, (document) => expectAnswer(postOf(document)));
    await goesOnAnswering(property, FUZZ_CASES);
  });

  it('broken documents are answered or refused', async () => {
    const broken = brokenDocuments(documents);
    const property = fc.asyncProperty(broken, (document) => expectAnswer(postOf(document)));
    await goesOnAnswering(property, 2 * FUZZ_CASES);
  });

  it('variables of any type are accepted or refused', async () => {
    const wrong = withWrongVariables(documents);
    const property = fc.asyncProperty(wrong, (request) => expectAnswer(postOf(request)));
    await goesOnAnswering(property, FUZZ_CASES);
  });

  it('bodies, addresses and headers of any kind are accepted or refused', async () => {
    const property = fc.asyncProperty(oddRequests, ({ query, call }) => expectAnswer(call, query));
    await goesOnAnswering(property, 3 * FUZZ_CASES);
    expect([...met.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 405, 415]));
    for (const secret of ['ada-token', 'ada-secret']) expect(lab.logText()).not.toContain(secret);
  });
});
