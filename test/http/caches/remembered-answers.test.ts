import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeGrant } from '../../../access/users.ts';
import { rotateToken } from '../../support/database/rotate-token.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { labelKey } from '../../support/lab/label-key.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const BOB = { username: 'bob', token: 'bob-token' };
const EVE = { username: 'eve', token: 'eve-token' };

let lab: TestService;

const line = (key: string, value: number) => ({
  group: GROUP,
  key,
  ts: T0,
  values: { 0: value },
});

beforeAll(async () => {
  const lines = [line('a', 5), line('b', 3), line('c', 1)];
  lab = await startLab({ groups: [group(1), group(2)], lines });
  await lab.addUser(BOB, [CONTEXT]);
  await lab.addUser(EVE, []);
});

afterAll(() => lab.close());

const WINDOW = { counter_group: GROUP, window_fromts: T0, window_tots: T0 + 60 };

const metrics = async (more = {}) =>
  (await lab.topper({ ...WINDOW, ...more })).keys.map(({ key, metric }) => [key, metric]);

const TOPPER = `{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
  topper(maxItems: 2, window: { interval: { from: ${T0}, to: ${T0 + 60} } }) {
    total others keyCount keys { key metric } } } } }`;

async function planned(): Promise<{ data: unknown; remembered: boolean }> {
  const headers = { ...basic(ADA), 'content-type': 'application/json' };
  const body = JSON.stringify({ query: TOPPER, extensions: { plan: true } });
  const { text } = await lab.call('/graphql', { method: 'POST', headers, body });
  const { data, extensions } = JSON.parse(text);
  return { data, remembered: extensions.plan[0].remembered };
}

describe('cached answers', () => {
  it('serve REST and GraphQL with the same values', async () => {
    lab.emptyCaches();
    const first = await metrics({ maxitems: 2 });
    expect(first).toEqual([
      ['a', 5],
      ['b', 3],
    ]);
    const { data, remembered } = await planned();
    expect(remembered).toBe(true);
    expect(data).toMatchObject({
      context: {
        counterGroup: { topper: { others: 1, keyCount: 3, keys: [{ key: 'a' }, { key: 'b' }] } },
      },
    });
    expect(await metrics({ maxitems: 2 })).toEqual(first);
  });

  it('are distinguished by every parameter', async () => {
    const asked = [
      { maxitems: 1 },
      { maxitems: 3 },
      { maxitems: 3, key_filter: '^b' },
      { maxitems: 3, inverse_key_filter: '^b' },
      { maxitems: 3, window_tots: T0 + 61 },
      { maxitems: 3, window_fromts: T0 + 1, window_tots: T0 + 120 },
    ];
    const expected = [
      [['a', 5]],
      [
        ['a', 5],
        ['b', 3],
        ['c', 1],
      ],
      [['b', 3]],
      [
        ['a', 5],
        ['c', 1],
      ],
      [
        ['a', 5],
        ['b', 3],
        ['c', 1],
      ],
      [],
    ];
    for (let again = 0; again < 2; again += 1) {
      const answers = [];
      for (const each of asked) answers.push(await metrics(each));
      expect(answers).toEqual(expected);
    }
  });

  it('are dropped as soon as an import touches the group', async () => {
    expect(await metrics()).toEqual([
      ['a', 5],
      ['b', 3],
      ['c', 1],
    ]);
    await lab.importSamples([line('b', 10)]);
    expect((await planned()).remembered).toBe(false);
    expect(await metrics()).toEqual([
      ['b', 13],
      ['a', 5],
      ['c', 1],
    ]);
  });

  it('show the current labels', async () => {
    const label = async () => (await lab.topper(WINDOW)).keys[0]?.label;
    expect(await label()).toBe('b');
    await labelKey(lab, GROUP, ['b', 'bee']);
    expect(await label()).toBe('bee');
  });

  it('are given only to users who may see them', async () => {
    const asks = ({ username, token }: typeof BOB) =>
      lab.rest('topper', { ...WINDOW, username, api_token: token });
    expect((await asks(BOB)).status).toBe(200);
    expect((await asks(EVE)).status).toBe(403);
    await lab.write((connection) =>
      revokeGrant(connection, { name: BOB.username, context: CONTEXT }),
    );
    expect((await asks(BOB)).status).toBe(403);
    await lab.grant(BOB, [CONTEXT]);
    await lab.write((connection) => rotateToken(connection, BOB.username));
    expect((await asks(BOB)).status).toBe(401);
  });
});

describe('the entity tag of an answer', () => {
  const get = (headers = {}, more = {}) => lab.rest('topper', { ...WINDOW, ...more }, { headers });

  it('comes with GET and HEAD, private and to be revalidated', async () => {
    const read = await get();
    const head = await lab.rest('topper', WINDOW, { method: 'HEAD' });
    expect(read.headers['etag']).toMatch(/^"[^"]+"$/);
    expect(head.headers['etag']).toBe(read.headers['etag']);
    expect(read.headers['cache-control']).toBe('private, no-cache');
  });

  it.each([
    ['it', (tag: string) => tag],
    ['it among others', (tag: string) => `"x", ${tag}`],
    ['it as a weak tag', (tag: string) => `W/${tag}`],
    ['any tag', () => '*'],
  ])('saves the body for a caller that has %s', async (_, has) => {
    const { etag = '' } = (await get()).headers;
    const again = await get({ 'if-none-match': has(String(etag)) });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(again.headers['etag']).toBe(etag);
  });

  it('saves the body even for a `fetch` that bypasses its own cache', async () => {
    const { etag = '' } = (await get()).headers;
    const asked = {
      'if-none-match': String(etag),
      'cache-control': 'no-cache',
      pragma: 'no-cache',
    };
    expect((await get(asked)).status).toBe(304);
  });

  it('changes with the answer', async () => {
    const { etag } = (await get()).headers;
    expect((await get({ 'if-none-match': String(etag) }, { maxitems: 1 })).status).toBe(200);
    await lab.importSamples([line('c', 100)]);
    const after = await get({ 'if-none-match': String(etag) });
    expect(after.status).toBe(200);
    expect(after.body).toMatchObject({ keys: [{ key: 'c', metric: 101 }, {}, {}] });
  });

  it('does not help a caller who may not see the answer', async () => {
    const { etag } = (await get()).headers;
    const headers = { 'if-none-match': String(etag) };
    const eve = { username: EVE.username, api_token: EVE.token };
    expect((await get(headers, eve)).status).toBe(403);
    expect((await get(headers, { api_token: 'wrong' })).status).toBe(401);
  });

  it('comes with GraphQL by GET too, and with nothing else', async () => {
    const url = `/graphql?query=${encodeURIComponent(TOPPER)}`;
    const first = await lab.call(url, { headers: basic(ADA) });
    const { etag } = first.headers;
    expect(etag).toBeDefined();
    const headers = { ...basic(ADA), 'if-none-match': String(etag) };
    expect((await lab.call(url, { headers })).status).toBe(304);
    const others = [
      await lab.graphql(TOPPER),
      await lab.rest('topper', WINDOW, { encoding: 'json' }),
      await get({}, { context: 'nowhere' }),
      await lab.call('/healthz'),
    ];
    expect(others.map((answer) => answer.headers['etag'])).toEqual(others.map(() => undefined));
  });
});
