import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENCODINGS, post, QUESTION_PARAMETERS } from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  CONTEXT,
  ENDPOINT_NAMES,
  type EndpointName,
  type TestService,
} from '../../support/lab/service.ts';
import { anyText } from '../../support/random/any-text.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    declaration: { probes: [{ id: 'p1' }] },
    lines: [
      { group: GROUP, key: 'constructor', ts: T0, values: { 0: 3 } },
      { group: GROUP, key: '__proto__', ts: T0, values: { 0: 2 }, attributes: { toString: 'x' } },
    ],
  });
});

/** In the end the server still answers, no data are lost, and no defect was logged. */
afterAll(async () => {
  const { keys } = await lab.topper({ counter_group: GROUP, recentsecs: 60 });
  expect(keys.map(({ key, metric }) => [key, metric])).toEqual([
    ['constructor', 3],
    ['__proto__', 2],
  ]);
  expect(lab.logText()).not.toContain('a request failed');
  await lab.close();
});

const NAMES = [...QUESTION_PARAMETERS, 'context', 'username', 'api_token'];

/** Texts that have broken programs before. */
const NASTY = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '\0',
  'a\0b',
  '\u{10FFFF}',
  '\uFEFF',
  '%00',
  "'; drop table users; --",
  '<script>',
  '-',
  '-0',
  '1e999',
  'Infinity',
  '0x1F',
  '[]',
  '{}',
  '99999999999999999999',
  'null',
  '٣',
  '１',
  ' ',
  '\r\n',
  'x'.repeat(5000),
  '(',
  '\\',
];

/** The statuses of the specification for mistakes of a caller, and for success. */
const DOCUMENTED = [200, 400, 401, 403, 422];

function expectDocumented(answer: { status: number; text: string }, about: unknown) {
  expect([about, DOCUMENTED.includes(answer.status)]).toEqual([about, true]);
  const body = JSON.parse(answer.text);
  if (answer.status === 200) return;
  expect(body).toEqual({ status: 'ERROR', message: expect.stringMatching(/./) });
  expect(Object.keys(body)).toEqual(['status', 'message']);
  expect(body.message).not.toMatch(/\bat .*:\d+:\d+|SELECT |select |undefined is/);
  expect(body.message.length).toBeLessThan(11_000);
}

describe('any value of a parameter gets a documented answer', () => {
  it.each(NAMES)('%s', async (name) => {
    const asked = NASTY.map(async (value, i) => {
      // Each value goes to the topper, and most values to another endpoint too.
      for (const endpoint of new Set<EndpointName>(['topper', ENDPOINT_NAMES[i % 4] ?? 'topper'])) {
        const encoding = ENCODINGS[i % ENCODINGS.length] ?? 'query';
        const parameters = { counter_group: GROUP, [name]: value };
        const answer = await lab.rest(endpoint, parameters, { encoding });
        expectDocumented(answer, [endpoint, name, value.slice(0, 30), encoding]);
      }
    });
    await Promise.all(asked);
  });

  it('several parameters at once, with any text', async () => {
    const text = fc.oneof(
      anyText({ maxLength: 30 }),
      fc.constantFrom(...NASTY),
      fc.integer().map(String),
      fc.constantFrom('true', 'off', GROUP, 'p1', 'UTC', 'Jul 15 2024 10:00:00 AM', '2024-07-15'),
    );
    const some = fc.dictionary(fc.constantFrom(...NAMES), text, { maxKeys: 6 });
    const isDocumented = fc.asyncProperty(
      ...([fc.constantFrom(...ENDPOINT_NAMES), fc.constantFrom(...ENCODINGS), some] as const),
      async (endpoint, encoding, parameters) => {
        const answer = await lab.rest(endpoint, { ...parameters }, { encoding });
        expectDocumented(answer, [endpoint, encoding, parameters]);
      },
    );
    await fc.assert(isDocumented, { numRuns: FUZZ_CASES });
  });
});

describe('a JSON body', () => {
  const WHO = { username: ADA.username, api_token: ADA.token, context: CONTEXT };

  const ask = async (body: string) => {
    const answer = await lab.call(lab.path('topper'), post('application/json', body));
    expectDocumented(answer, body.slice(0, 60));
    return answer.status;
  };

  it('may have names from prototypes, which are unknown parameters', async () => {
    const who = JSON.stringify({ ...WHO, counter_group: GROUP }).slice(1);
    expect(await ask(`{"__proto__": "x", "constructor": "y", ${who}`)).toBe(200);
    expect(await ask(`{"__proto__": {"maxitems": 0}, ${who}`)).toBe(200);
    expect(await ask(`{"__proto__": {"context": "lab"}, "username": "ada"}`)).toBe(401);
    expect(await ask(`{"__proto__": ${JSON.stringify(WHO)}}`)).toBe(401);
  });

  it('may have any value for any parameter', async () => {
    const values = [true, 0, -1.5, 1e300, [], [[]], { a: 1 }, [null], ['a', 'b']];
    for (const name of NAMES) {
      const bodies = values.map((value) => ({ ...WHO, counter_group: GROUP, [name]: value }));
      await Promise.all(bodies.map((body) => ask(JSON.stringify(body))));
    }
  });

  it('may have lone surrogates', async () => {
    const who = JSON.stringify({ ...WHO, counter_group: GROUP }).slice(1);
    for (const name of ['probe_id', 'key_filter', 'destination_node', 'time_zone', 'flags']) {
      for (const half of ['\\ud800', '\\udc00x', 'a\\ud83d']) {
        await ask(`{"${name}": "${half}", ${who}`);
      }
    }
    expect(await ask(`{"username": "\\ud800", "api_token": "\\udfff"}`)).toBe(401);
    expect(await ask(`{"username": "ada", "api_token": "ada-token", "context": "\\ud800"}`)).toBe(
      422,
    );
  });

  it('may be nested deeply', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(await ask(`{"a": ${deep}}`)).not.toBe(200);
    expect(await ask(deep)).toBe(400);
  });

  it('may have many parameters', async () => {
    const many = Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`p${i}`, i]));
    expect(await ask(JSON.stringify({ ...many, ...WHO, counter_group: GROUP }))).toBe(200);
  });
});

describe('a request line', () => {
  it.each([
    '?%',
    '?context=%E0%A4%A',
    '?context=%FF',
    '?&&&===&',
    '?context[]=lab&context[]=lab',
    '?context[a]=lab',
    '?[]=1',
    `?${'a=1&'.repeat(3000)}`,
    '?context=lab#fragment',
  ])('%s is answered', async (query) => {
    for (const endpoint of ENDPOINT_NAMES) {
      expectDocumented(await lab.call(`${lab.path(endpoint)}${query.slice(0, 14_000)}`), query);
    }
  });

  it('with 101 ranks, or with a pattern that is too long, is refused', async () => {
    const ranks = Array.from({ length: 101 }, (_, i) => i);
    const question = { counter_group: GROUP, recentsecs: 60 };
    const many = await lab.rest('topper', { ...question, get_percentiles: ranks });
    expectDocumented(many, 'ranks');
    const key_filter = 'a'.repeat(20_000);
    const long = await lab.rest('topper', { ...question, key_filter }, { encoding: 'form' });
    expect(long.status).toBe(400);
  });
});

describe('windows at the ends of time', () => {
  const MOST = 253_402_300_799;
  it.each([
    { window_fromts: 0, window_tots: MOST },
    { window_fromts: MOST - 1, window_tots: MOST },
    { window_fromts: 0, window_seconds: MOST },
    { window_fromts: MOST - 60, window_seconds: 60 },
    { recentsecs: 9_007_199_254_740_991 },
    { window_seconds: 9_007_199_254_740_991 },
    { window_fromts: MOST, window_seconds: 9_007_199_254_740_991 },
    { from_date: 'Jan 1 0001 12:00 AM', to_date: 'Dec 31 9999 11:59 PM' },
    { from_date: 'Jan 1 1970 12:00 AM', to_date: 'Dec 31 9999 11:59 PM' },
  ])('%o', async (window) => {
    const asked = { counter_group: GROUP, get_percentiles: '50', ...window };
    const answer = await lab.rest('topper', asked);
    expectDocumented(answer, window);
  });
});
