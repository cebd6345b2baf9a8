import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TopperBody } from '../../support/http/answers.ts';
import type { HttpCall } from '../../support/http/http-call.ts';
import { bearer } from '../../support/http/rest-with-headers.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

/** From Debian's package prometheus, which `.ci/run` installs. */
const hasPromtool = existsSync('/usr/bin/promtool');
if (!hasPromtool) console.warn('skipped: promtool is not installed: apt-get install prometheus');

const GROUP = guidOf(1);
const CROSS = guidOf(2);
const MANY = guidOf(3);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    settings: { loginFailures: 3, trustProxy: ['127.0.0.1'] },
    groups: [
      group(1, { name: 'Own "things"', meters: [meter(0, 2, 'Total bytes'), meter(1, 5)] }),
      group(2, { key_kind: 'crosskey', crosskey: { parentguid: GROUP, crosskeyguid_1: GROUP } }),
      group(3),
    ],
    lines: [
      { group: GROUP, key: 'a', ts: T0, values: { 0: 50, 1: 3 }, label: 'line\nfeed "\\"' },
      { group: GROUP, key: 'b', ts: T0, values: { 0: 2n ** 63n - 1n } },
      { group: GROUP, key: 'b', ts: T0 + 60, values: { 0: 2n ** 63n - 1n } },
      { group: GROUP, key: 'c', ts: T0, values: { 0: 7 } },
      { group: CROSS, key: 'a\\b', ts: T0, values: { 0: 1 } },
      ...Array.from({ length: 1200 }, (_, i) => ({
        group: MANY,
        key: `k${i}`,
        ts: T0,
        values: { 0: i + 1 },
      })),
    ],
  });
});

afterAll(() => lab.close());

type Given = Readonly<Record<string, string | number | boolean>>;

const WINDOW: Given = { window_fromts: T0, window_seconds: 600 };

function scrape(parameters: Given = {}, how: HttpCall = {}) {
  const all = { context: CONTEXT, counter_group: GROUP, ...WINDOW, ...parameters };
  const query = new URLSearchParams(Object.entries(all).map(([name, v]) => [name, String(v)]));
  return lab.call(`/metrics/toppers?${query}`, { headers: basic(ADA), ...how });
}

/** The status and message of an error, which has the shape of REST errors. */
async function refusal(parameters: Given, how: HttpCall = {}): Promise<[number, string]> {
  const { status, text } = await scrape(parameters, how);
  const { message } = JSON.parse(text) as { message: string };
  expect(JSON.parse(text)).toEqual({ status: 'ERROR', message });
  return [status, message];
}

const samplesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('/metrics/toppers', () => {
  it('has a gauge for each key, for the others and for the group, with all digits', async () => {
    const { status, text } = await scrape({ maxitems: 2 });
    expect(status).toBe(200);
    const own = `context="lab",group="Own \\"things\\"",guid="${GROUP}",meter="Total bytes"`;
    expect(text).toBe(
      [
        '# HELP countergraph_topper The metric of each of the largest keys of the group in the window',
        '# TYPE countergraph_topper gauge',
        `countergraph_topper{${own},key="b",label="b"} 18446744073709551614`,
        `countergraph_topper{${own},key="a",label="line\\nfeed \\"\\\\\\""} 50`,
        '# HELP countergraph_topper_others The metric of all keys of the group that are not listed',
        '# TYPE countergraph_topper_others gauge',
        `countergraph_topper_others{${own}} 7`,
        '# HELP countergraph_topper_group The metric of the whole group in the window',
        '# TYPE countergraph_topper_group gauge',
        `countergraph_topper_group{${own}} 18446744073709551671`,
        '',
      ].join('\n'),
    );
  });

  it('has the values of the topper endpoint', async () => {
    const parameters = { counter_group: MANY, ...WINDOW, key_filter: '^k1', maxitems: 30 };
    const { keys, sysgrouptotal } = await lab.ok<TopperBody>('topper', parameters);
    const samples = samplesOf((await scrape(parameters)).text);
    expect(samples.slice(0, -2)).toEqual(
      keys.map(({ key, metric }) =>
        expect.stringMatching(new RegExp(`^countergraph_topper\\{.*key="${key}".*\\} ${metric}$`)),
      ),
    );
    expect(samples.at(-2)).toMatch(new RegExp(`^countergraph_topper_others.* ${sysgrouptotal}$`));
    expect(samples.at(-1)).toMatch(/^countergraph_topper_group.* 720600$/);
  });

  it('writes the keys of a cross-key group with their backslashes escaped', async () => {
    const { text } = await scrape({ counter_group: CROSS });
    expect(samplesOf(text)[0]).toMatch(/,key="a\\\\b",label="[^"]*(\\"|\\\\)[^"]*/);
  });

  it('leaves out labels with resolve_keys=false, and ignores other output parameters', async () => {
    const plain = await scrape({ resolve_keys: false });
    expect(plain.text).not.toContain('label=');
    const { text } = await scrape({ format: 'csv', get_percentiles: 95, get_key_attributes: true });
    expect(text).toBe((await scrape()).text);
  });

  it('of a window without data has no keys, and 0 for the rest', async () => {
    const { status, text } = await scrape({ window_fromts: T0 - 86_400 });
    expect(status).toBe(200);
    expect(samplesOf(text)).toEqual([
      expect.stringMatching(/^countergraph_topper_others\{.*\} 0$/),
      expect.stringMatching(/^countergraph_topper_group\{.*\} 0$/),
    ]);
  });

  it('lists 100 keys by default, and at most 1,000', async () => {
    const count = async (parameters: Given) =>
      samplesOf((await scrape({ counter_group: MANY, ...parameters })).text).length - 2;
    expect([await count({}), await count({ maxitems: 1000 })]).toEqual([100, 1000]);
    expect(await refusal({ maxitems: 1001 })).toEqual([
      400,
      'maxitems must be an integer from 1 to 1000, got "1001"',
    ]);
  });

  it('has the content type of /metrics', async () => {
    const { headers } = await scrape();
    expect(headers['content-type']).toBe(new Registry().contentType);
    expect(headers['content-type']).toBe((await lab.call('/metrics')).headers['content-type']);
  });

  it.skipIf(!hasPromtool)('passes promtool without a complaint', async () => {
    for (const guid of [GROUP, CROSS, MANY]) {
      const { text } = await scrape({ counter_group: guid });
      const said = execFileSync('promtool', ['check', 'metrics'], { input: text });
      expect(String(said)).toBe('');
    }
  });
});

describe('the caller of /metrics/toppers', () => {
  it('authenticates with Basic, or with Bearer and x-username', async () => {
    expect((await scrape({}, { headers: bearer(ADA) })).text).toBe((await scrape()).text);
  });

  it('is identified by the header alone: a URL is not secret', async () => {
    const { status, headers, text } = await scrape(
      { username: ADA.username, api_token: ADA.token },
      { headers: {} },
    );
    expect([status, JSON.parse(text)]).toEqual([
      401,
      { status: 'ERROR', message: 'Invalid API token' },
    ]);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect((await scrape({ username: 'eve', api_token: 'x' })).status).toBe(200);
  });

  it('is refused after too many failures, as everywhere', async () => {
    const credentials = basic({ username: ADA.username, token: 'wrong' });
    const headers = { ...credentials, 'x-forwarded-for': '2001:db8::1' };
    const statuses = new Set<number>();
    for (let time = 0; time < 5; time += 1) statuses.add((await scrape({}, { headers })).status);
    expect(statuses).toEqual(new Set([401, 429]));
  });

  it('sees only granted contexts', async () => {
    await lab.apply({ context: 'secret', groups: [group(1)] });
    expect(await refusal({ context: 'secret' })).toEqual([
      403,
      'User ada is not allowed to access context secret',
    ]);
  });
});

describe('a scrape', () => {
  const CASES: readonly [Given, number, string][] = [
    [{ context: '' }, 400, 'context is required'],
    [{ context: 'none' }, 422, 'Invalid context name - none'],
    [{ counter_group: '' }, 400, 'counter_group is required'],
    [{ counter_group: guidOf(9) }, 422, `Invalid counter group - ${guidOf(9)}`],
    [{ meter: 7 }, 422, 'Invalid meter - 7'],
    [{ probe_id: 'p9' }, 422, 'Invalid probe - p9'],
    [{ format: 'xml' }, 400, 'format must be one of json, csv, got "xml"'],
  ];

  it.each(CASES)('fails like the topper endpoint: %j', async (parameters, status, message) => {
    expect(await refusal(parameters)).toEqual([status, message]);
  });

  it('by POST is 405: the parameters are in the query string', async () => {
    const { status, headers, text } = await scrape({}, { method: 'POST' });
    expect([status, JSON.parse(text)]).toEqual([
      405,
      { status: 'ERROR', message: 'Method POST is not allowed, use GET or HEAD' },
    ]);
    expect(headers['allow']).toBe('GET, HEAD');
  });

  it('by HEAD is answered like GET, without the body', async () => {
    const { status, headers, text } = await scrape({}, { method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
    expect(headers['content-length']).toBe((await scrape()).headers['content-length']);
  });

  it('is counted under its route', async () => {
    await scrape();
    const { text } = await lab.call('/metrics');
    expect(text).toContain(
      'countergraph_http_request_seconds_count{route="/metrics/toppers",status="200"}',
    );
  });
});
