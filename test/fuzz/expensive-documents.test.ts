import fc from 'fast-check';
import { getOperationAST, Kind, parse } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { OperationProgress } from '../../resolvers/operation-progress.ts';
import { countFields } from '../../schema/compiled/count-fields.ts';
import { schema } from '../../schema/schema.ts';
import { openStream } from '../support/http/event-stream.ts';
import { bearerOf, connectMcp } from '../support/http/mcp-client.ts';
import { group, guidOf, meter, startLab, T0 } from '../support/lab/lab.ts';
import { labValues } from '../support/lab/lab-values.ts';
import { ADA, CONTEXT, type TestService } from '../support/lab/service.ts';
import { type Draw, type Loops, moreCostly } from '../support/random/costly-documents.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import { randomDocuments } from '../support/random/random-documents.ts';
import { PATIENCE_MS } from './expect-told.ts';
import { postOf } from './graphql-requests.ts';

const HOSTS = guidOf(1);
const APPS = guidOf(2);
const PAIRS = guidOf(3);

/** A search for one costly document tries so many changes. */
const CHANGES = 12;
const SEARCHES = Math.ceil(FUZZ_CASES / 10);

/** The most that a search may reach: a larger answer would only take longer. */
const MOST = 40_000;

let lab: TestService;

beforeAll(async () => {
  const meters = [meter(0, 2), meter(1, 5)];
  const parts = { parentguid: HOSTS, crosskeyguid_1: APPS };
  lab = await startLab({
    // The second request compiles a document, and later ones take the fast path.
    settings: { compileAfter: 2, responseCacheBytes: 0 },
    groups: [
      group(1, { key_kind: 'ipv4', meters }),
      group(2, { meters }),
      group(3, { key_kind: 'crosskey', crosskey: parts, meters }),
    ],
    lines: Array.from({ length: 120 }, (_, i) => ({
      group: guidOf(1 + (i % 3)),
      key: keysOf(i)[i % 3] ?? '',
      ts: T0 + 30 * i,
      values: { 0: i, 1: i },
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

const WINDOW = `window: { interval: { from: ${T0}, to: ${T0 + 3600} } }`;

const LOOPS: Loops = {
  CounterGroup: [
    ['meter(index: 0) { counterGroup', '}'],
    ['meters { counterGroup', '}'],
    ['drilldowns', ''],
    [`topper(${WINDOW}) { counterGroup`, '}'],
    [`topper(${WINDOW}) { keys { keyNode { counterGroup`, '} } }'],
    ['keys(first: 50) { edges { node { counterGroup', '} } }'],
  ],
  Meter: [['counterGroup { meters', '}']],
  Topper: [
    [`keys { drilldown(crosskey: "${PAIRS}")`, '}'],
    [`counterGroup { topper(${WINDOW}, maxItems: 50)`, '}'],
    [`counterGroup { topperTrend(${WINDOW}, every: 300)`, '}'],
  ],
  TopperKey: [[`drilldown(crosskey: "${PAIRS}") { keys`, '}']],
  Key: [['counterGroup { keys(first: 20) { edges { node', '} } }']],
  __Type: [
    ['fields { type', '}'],
    ['ofType', ''],
    ['possibleTypes', ''],
  ],
  __Field: [['type { fields', '}']],
};

const inGroup = (selection: string, guid = HOSTS): string =>
  `{ context(name: "${CONTEXT}") { counterGroup(guid: "${guid}") { ${selection} } } }`;

const inTopper = (selection: string): string =>
  inGroup(`topper(${WINDOW}, maxItems: 50) { ${selection} }`);

/** Where a search begins, besides random documents. */
const STARTS: readonly string[] = [
  inTopper('keys { key label metric peak previous { metric rank } keyNode { id label } }'),
  inTopper(`keys { drilldown(crosskey: "${PAIRS}") { total keys { key metric } } }`),
  inTopper('keys { series { at value } percentiles(ranks: [1, 50, 99]) { rank value } }'),
  inTopper('series { at total others } flatSeries(step: 60) { at key value }'),
  inGroup(`topperTrend(${WINDOW}, every: 60) { total keys { key metric } }`),
  inGroup('keys(first: 1000, match: "[0-9A-F]+") { edges { node { id key } } totalCount }'),
  inGroup('keys(first: 9, search: "192") { edges { cursor node { label } } }', PAIRS),
  `{ context(name: "${CONTEXT}") { counterGroups { meters { name } drilldowns { name } } } }`,
  '{ contexts { slices { name } probes } viewer { contexts { name } } }',
];

const INTROSPECTIONS: readonly string[] = [
  '{ __schema { types { name fields { name } } } }',
  '{ __type(name: "Topper") { fields { type { fields { type { ofType { name } } } } } } }',
];

const randoms = randomDocuments(schema, {
  introspection: true,
  directives: false,
  leaves: labValues({
    contexts: [CONTEXT],
    groups: [HOSTS, APPS, PAIRS],
    crosskeyGroups: [PAIRS],
    keys: [1, 2, 3].flatMap(keysOf),
    meters: [0, 1],
    probes: ['p1'],
    nodes: [],
    ids: [],
    from: T0,
    to: T0 + 3600,
  }),
})
  .map(({ query }) => query)
  .filter((query) => !query.includes('$') && parse(query).definitions[0] !== undefined)
  .filter((query) => getOperationAST(parse(query)) !== null);

/** Draws from a seed: mulberry32. */
function drawFrom(seed: number): Draw {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

type Answered = { readonly status: number; readonly text: string; readonly values: number };

type Body = { readonly data?: unknown; readonly errors?: readonly object[] };

/** The fields of objects and the entries of lists; `data` itself is none of them. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const below: unknown[] = Object.values(value);
  return below.reduce((sum: number, each) => sum + 1 + countValues(each), 0);
}

type Caller = { readonly isSignedIn: boolean; readonly isByYoga?: boolean };

/** Answers a document with a limit. Only Yoga negotiates media types of this form. */
async function ask(query: string, limit: number, caller: Caller): Promise<Answered> {
  lab.settings.answerValues = limit;
  lab.settings.answerValuesSignedOut = limit;
  const { headers = {}, ...call } = postOf({ query });
  const { authorization = '', ...others } = headers;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { status, text } = await lab.call('/graphql', {
    ...call,
    headers: {
      ...others,
      ...(caller.isSignedIn && { authorization }),
      ...(caller.isByYoga && { accept: 'application/json; q=1' }),
    },
    signal,
  });
  return { status, text, values: countValues((JSON.parse(text) as Body).data) };
}

const refusal = (limit: number): string =>
  `{"errors":[{"message":"The values of an answer must be at most ${limit}, got more: request fewer fields, fewer aliases, smaller pages or a shorter window","extensions":{"code":"LIMIT"}}],"data":null}`;

/** Values that are completed although other requests have to run first; and the most of them. */
const late = { values: 0, most: 0 };

function watchValues(): void {
  const { take } = OperationProgress.prototype;
  vi.spyOn(OperationProgress.prototype, 'take').mockImplementation(function (
    this: OperationProgress,
    values: number,
  ) {
    const wasDue = this.isDue;
    // What is still pending of an operation that has ended throws here.
    take.call(this, values);
    late.values = wasDue ? late.values + values : 0;
    late.most = Math.max(late.most, late.values);
  });
}

/** All fields of a document: each may be in an object that is begun. */
function fieldsOf(query: string): number {
  const document = parse(query);
  const operation = getOperationAST(document);
  const fragments = Object.fromEntries(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  return operation ? countFields(operation, fragments) : 0;
}

afterEach(() => vi.restoreAllMocks());

/** Returns the values of the whole answer; 0: the document is refused for other reasons. */
async function expectLimited(query: string, isSignedIn = true): Promise<number> {
  Object.assign(late, { values: 0, most: 0 });
  const whole = await ask(query, MOST, { isSignedIn });
  expect(late.most, query).toBeLessThanOrEqual(fieldsOf(query));
  if (whole.text === refusal(MOST)) {
    return 0;
  }
  const { errors } = JSON.parse(whole.text) as Body;
  const { values } = whole;
  expect(values).toBeLessThanOrEqual(MOST);
  if (whole.status !== 200 || values === 0) return 0;
  const tooFew = { status: 200, text: refusal(values - 1) };
  const callers = [
    { isSignedIn, isByYoga: true },
    { isSignedIn, isByYoga: false },
    { isSignedIn, isByYoga: false },
  ];
  for (const caller of callers) {
    expect(await ask(query, values - 1, caller), query).toMatchObject(tooFew);
    // Values below a field that has failed count, and are not there.
    if (!errors) expect(await ask(query, values, caller), query).toEqual(whole);
  }
  return values;
}

/** Looks for documents with many values for their length, and checks each. Returns the best. */
async function climb(starts: readonly string[], seed: number, isSignedIn: boolean) {
  const draw = drawFrom(seed);
  let best = starts[draw(starts.length)] ?? '';
  let values = await expectLimited(best, isSignedIn);
  for (let i = 0; i < CHANGES; i += 1) {
    const other = starts[draw(starts.length)] ?? best;
    const query = moreCostly(best, other, LOOPS, draw);
    if (query === null) continue;
    const reached = await expectLimited(query, isSignedIn);
    if (reached * best.length > values * query.length) {
      best = query;
      values = reached;
    }
  }
  return { best, values };
}

/** Errors: the seed of fast-check with which the search fails. */
async function search(starts: readonly string[], isSignedIn: boolean): Promise<number[]> {
  const found: number[] = [];
  watchValues();
  await fc.assert(
    fc.asyncProperty(
      fc.array(randoms, { minLength: 3, maxLength: 3 }),
      fc.nat({ max: 2 ** 31 }),
      async (drawn, seed) => {
        const { values } = await climb([...starts, ...(isSignedIn ? drawn : [])], seed, isSignedIn);
        found.push(values);
      },
    ),
    { numRuns: SEARCHES, endOnFailure: true },
  );
  return found;
}

describe('documents with as many values as possible', { timeout: 600_000 }, () => {
  it('are answered within the limit or refused, on every way', async () => {
    const found = await search([...STARTS, ...INTROSPECTIONS], true);
    expect(Math.max(...found)).toBeGreaterThan(100);
  });

  it('without credentials are answered within the limit or refused', async () => {
    const found = await search(INTROSPECTIONS, false);
    expect(Math.max(...found)).toBeGreaterThan(100);
  });

  it('are limited in subscriptions', async () => {
    const selection = '{ total keys { key label metric keyNode { counterGroup { guid } } } }';
    const args = `context: "${CONTEXT}", counterGroup: "${HOSTS}", ${WINDOW}`;
    const first = async (limit: number) => {
      lab.settings.answerValues = limit;
      const stream = await openStream(lab.url, `subscription { topper(${args}) ${selection} }`);
      const { data } = await stream.next();
      stream.close();
      return data;
    };
    const whole = await first(MOST);
    const values = countValues(whole.data);
    expect(whole.errors).toBeUndefined();
    expect(await first(values)).toEqual(whole);
    expect(await first(values - 1)).toEqual(JSON.parse(refusal(values - 1)));
  });

  it('are limited in tools', async () => {
    const { client, call } = await connectMcp(lab.url, bearerOf(ADA));
    const asked = { context: CONTEXT, counterGroup: HOSTS };
    const isAnswered = async (limit: number) => {
      lab.settings.answerValues = limit;
      const { isError, text } = await call('topper', asked);
      if (isError) expect(text).toContain(`The values of an answer must be at most ${limit}`);
      return !isError;
    };
    let below = 0;
    let enough = MOST;
    expect(await isAnswered(enough)).toBe(true);
    while (enough - below > 1) {
      const middle = Math.floor((below + enough) / 2);
      if (await isAnswered(middle)) enough = middle;
      else below = middle;
    }
    expect(enough).toBeGreaterThan(20);
    await client.close();
  });
});
