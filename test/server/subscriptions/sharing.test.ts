import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OpenStream, openStream } from '../../support/http/event-stream.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  type TestService,
} from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const BOB: Credentials = { username: 'bob', token: 'bob-token' };

let lab: TestService;
const open: OpenStream[] = [];
let minute = 0;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
    settings: { maxStreams: 40, maxStreamsPerUser: 30 },
  });
  await lab.apply({ context: 'other', groups: [group(1)] });
  await lab.addUser(BOB, [CONTEXT, 'other']);
});

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await until(async () => (await metric('countergraph_subscriptions_open')) === 0);
});

afterAll(() => lab.close());

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const metric = async (name: string): Promise<number> =>
  readMetrics((await lab.call('/metrics')).text).value(name) ?? Number.NaN;

const topper = (maxItems: number, more = '') => `subscription { topper(
  context: "${CONTEXT}", counterGroup: "${GROUP}", window: { preset: ALL_AVAILABLE }
  maxItems: ${maxItems} ${more}) { total } }`;

const WITH_SEARCH = `subscription ($search: String) { topper(
  context: "${CONTEXT}", counterGroup: "${GROUP}", window: { preset: ALL_AVAILABLE }
  filter: { search: $search }) { total } }`;

async function follow(query: string, credentials = ADA, variables = {}): Promise<OpenStream> {
  const stream = await openStream(lab.url, query, { headers: basic(credentials), variables });
  open.push(stream);
  return stream;
}

const count = async (context = CONTEXT) => {
  minute += 1;
  const line = { group: GROUP, key: 'k', ts: T0 + 60 * minute, values: { 0: 1 } };
  await lab.importSamples([line], { context });
};

const totalOf = async (stream: OpenStream): Promise<number> =>
  (await stream.answer<{ topper: { total: number } }>()).topper.total;

describe('the total size of the open subscriptions of a user', () => {
  it('is bounded, and decreases when one is closed', async () => {
    const asked = (i: number) =>
      follow(WITH_SEARCH, BOB, { search: `${i} ${'x'.repeat(200_000)}` });
    // Ten of them have slightly more than 2,000,000 characters, and eleven more than 2 MiB.
    const streams = await Promise.all(Array.from({ length: 10 }, (_, i) => asked(i)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    // An answer that is still being computed would be counted by later tests.
    await Promise.all(streams.map(totalOf));
    const refused = await asked(10);
    await refused.ended;
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text())).toMatchObject({
      errors: [
        {
          message: expect.stringMatching(
            /subscriptions of a user must be at most 2097152, got 220\d{4}$/,
          ),
          extensions: { code: 'LIMIT' },
        },
      ],
    });
    streams[0]?.close();
    await until(async () => (await metric('countergraph_subscriptions_open')) === 9);
    expect(await totalOf(await asked(11))).toBe(1);
  });
});

describe('identical subscriptions', () => {
  it('are answered by one computation, whoever the user', async () => {
    const streams = await Promise.all(
      Array.from({ length: 20 }, (_, i) => follow(topper(1 + (i % 2)), i < 10 ? ADA : BOB)),
    );
    const before = new Set(await Promise.all(streams.map(totalOf)));
    const computed = await metric('countergraph_subscription_computations_total');
    await count();
    const after = new Set(await Promise.all(streams.map(totalOf)));
    expect([after.size, [...after][0]]).toEqual([1, Number([...before][0]) + 1]);
    expect(await metric('countergraph_subscription_computations_total')).toBe(computed + 2);
  });

  it('are answered by one computation even if undeclared variables differ', async () => {
    const streams = await Promise.all([1, 2].map((x) => follow(topper(3), ADA, { x })));
    const before = await Promise.all(streams.map(totalOf));
    const computed = await metric('countergraph_subscription_computations_total');
    await count();
    expect(await Promise.all(streams.map(totalOf))).toEqual(before.map((total) => total + 1));
    expect(await metric('countergraph_subscription_computations_total')).toBe(computed + 1);
  });

  it('equal the answer to a query at each version', async () => {
    const stream = await follow(topper(5));
    for (let commit = 0; commit < 3; commit += 1) {
      const total = await totalOf(stream);
      const asked = await lab.data<{ context: { counterGroup: { topper: { total: number } } } }>(
        `{ context(name: "${CONTEXT}") { counterGroup(guid: "${GROUP}") {
          topper(window: { preset: ALL_AVAILABLE }) { total } } } }`,
      );
      expect(total).toBe(asked.context.counterGroup.topper.total);
      await count();
    }
  });

  it('are not computed for commits into another context', async () => {
    const stream = await follow(topper(7));
    const total = await totalOf(stream);
    const computed = await metric('countergraph_subscription_computations_total');
    await count('other');
    await count();
    expect(await totalOf(stream)).toBe(total + 1);
    expect(await metric('countergraph_subscription_computations_total')).toBe(computed + 1);
  });
});

describe('a subscription', () => {
  it('gets one answer for all changes within `everySeconds`', async () => {
    const stream = await follow(topper(9, 'everySeconds: 2'));
    const total = await totalOf(stream);
    await count();
    await count();
    await count();
    const startedAt = performance.now();
    let told = total;
    while (told < total + 3) told = await totalOf(stream);
    // The first change may have been sent before the others were made.
    expect(stream.messages.length).toBeLessThanOrEqual(3);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('refuses `everySeconds` below 1, and ends', async () => {
    const stream = await follow(topper(1, 'everySeconds: 0'));
    await stream.ended;
    expect(stream.messages).toMatchObject([
      {
        event: 'next',
        data: {
          data: { topper: null },
          errors: [
            {
              message: 'everySeconds must be an integer of at least 1, got 0',
              extensions: { code: 'BAD_USER_INPUT' },
            },
          ],
        },
      },
      { event: 'complete' },
    ]);
  });

  it.each([
    ['does not validate', 'subscription { topper { nothing } }'],
    ['has two fields', `subscription { a: ${topper(1).slice(15, -2)} b: __typename }`],
    ['is over a limit', topper(1).replace('total', 'total '.repeat(6_000))],
  ])('that %s is refused by one event', async (_, query) => {
    const stream = await follow(query);
    await stream.ended;
    expect(stream.messages.map(({ event }) => event)).toEqual(['next', 'complete']);
    expect(stream.messages[0]?.data.errors?.length).toBeGreaterThan(0);
  });

  it('may be a query, too: it gets one answer, and the end', async () => {
    const stream = await follow('{ viewer { username } }');
    await stream.ended;
    expect(stream.messages).toEqual([
      { event: 'next', data: { data: { viewer: { username: 'ada' } } } },
      { event: 'complete', data: {} },
    ]);
  });

  it('may be sent by GET, and with a variable that excludes fields', async () => {
    const query = `subscription ($keys: Boolean!) { contextChanged(name: "${CONTEXT}") {
      name counterGroups @include(if: $keys) { name } } }`;
    const variables = JSON.stringify({ keys: false });
    const controller = new AbortController();
    const response = await fetch(
      `${lab.url}/graphql?${new URLSearchParams({ query, variables })}`,
      {
        headers: { ...basic(ADA), accept: 'text/event-stream' },
        signal: controller.signal,
      },
    );
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('data:')) {
      text += new TextDecoder().decode((await reader?.read())?.value);
    }
    controller.abort();
    expect(text).toContain('event: next\ndata: {"data":{"contextChanged":{"name":"lab"}}}\n\n');
  });
});

describe('the limits of open subscriptions', () => {
  it('apply to each user, and in total', async () => {
    const streams = await Promise.all(Array.from({ length: 30 }, () => follow(topper(1))));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const another = await follow(topper(1));
    await another.ended;
    expect([another.status, another.text()]).toEqual([
      429,
      expect.stringContaining('User ada must have at most 30 open subscriptions'),
    ]);
    for (let i = 0; i < 10; i += 1) expect((await follow(topper(1), BOB)).status).toBe(200);
    expect((await follow(topper(1), BOB)).status).toBe(503);
    streams[0]?.close();
    await until(async () => (await metric('countergraph_subscriptions_open')) === 39);
    expect((await follow(topper(1), BOB)).status).toBe(200);
  });
});
