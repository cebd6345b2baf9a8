import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpAnswer, HttpCall } from '../../support/http/http-call.ts';
import { encode, type RestParameters } from '../../support/http/rest-parameters.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, type TestService } from '../../support/lab/service.ts';

const [GROUP, BARE] = [1, 2].map(guidOf) as [string, string];
const ORIGIN = 'https://noc.example.com';

const line = (ts: number, probe: string, key = 'a') => ({
  group: GROUP,
  key,
  ts,
  probe,
  values: { 0: 1 },
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    settings: { corsOrigins: [ORIGIN] },
    groups: [group(1), group(2)],
    declaration: { probes: [{ id: 'idle' }] },
    lines: [line(T0, 'p1'), line(T0 + 3600, 'p2'), line(T0 + DAY, 'p1')],
  });
});

afterAll(() => lab.close());

/** A window without data. */
const NOTHING = { counter_group: GROUP, window_fromts: T0 - DAY, window_seconds: 60 };

async function ask(more: RestParameters = {}, how: HttpCall = {}): Promise<HttpAnswer> {
  const credentials = { context: CONTEXT, username: ADA.username, api_token: ADA.token };
  const { query } = await encode({ ...credentials, ...NOTHING, ...more }, 'query');
  return lab.call(lab.path('topper') + query, how);
}

const windowOf = ({ headers }: HttpAnswer) => headers['x-available-window'];

/** From the oldest to the end of the newest bucket. */
const ALL = `${T0}/${T0 + DAY + 60}`;

describe('a REST topper without keys', () => {
  it('reports the available window in x-available-window', async () => {
    const answer = await lab.rest('topper', NOTHING);
    expect([answer.status, answer.body]).toEqual([
      200,
      { counter_group: GROUP, meter: 0, sysgrouptotal: 0, keys: [] },
    ]);
    expect(windowOf(answer)).toBe(ALL);
  });

  it.each([
    ['by POST', {}, { method: 'POST' }],
    ['for HEAD', {}, { method: 'HEAD' }],
    ['as CSV', { format: 'csv' }, {}],
    ['as CSV for HEAD', { format: 'csv' }, { method: 'HEAD' }],
    ['where a filter left no key', { window_fromts: T0, key_filter: 'nothing' }, {}],
  ])('does so %s', async (_, more, how) => {
    const answer = await ask(more, how);
    expect([answer.status, windowOf(answer)]).toEqual([200, ALL]);
  });

  it('reports the window of the probe', async () => {
    expect(windowOf(await ask({ probe_id: 'p2' }))).toBe(`${T0 + 3600}/${T0 + 3660}`);
  });

  it('has no such header where there are no data', async () => {
    for (const more of [{ counter_group: BARE }, { probe_id: 'idle' }]) {
      const answer = await ask(more);
      expect([answer.status, answer.headers]).toEqual([200, expect.any(Object)]);
      expect(answer.headers).not.toHaveProperty('x-available-window');
    }
  });

  it('reports it with a cached answer too, without another statement', async () => {
    lab.emptyCaches();
    await ask();
    const statements = lab.watchStatements();
    expect(windowOf(await ask())).toBe(ALL);
    // The one statement looks up the user.
    expect(statements()).toHaveLength(1);
  });

  it('lets pages of configured origins read it', async () => {
    const { headers } = await ask({}, { headers: { origin: ORIGIN } });
    expect(headers['access-control-expose-headers']?.split(', ')).toContain('x-available-window');
  });
});

it('a REST topper with keys does not report the available window', async () => {
  for (const format of ['json', 'csv']) {
    const { headers } = await ask({ window_fromts: T0, format });
    expect(headers).not.toHaveProperty('x-available-window');
  }
});

describe('a 304 to a topper without keys', () => {
  it('reports the available window, including data that arrived since', async () => {
    const { etag } = (await ask()).headers;
    const again = () => ask({}, { headers: { 'if-none-match': String(etag) } });
    const same = await again();
    expect([same.status, same.text, windowOf(same)]).toEqual([304, '', ALL]);
    await lab.importSamples([line(T0 + 2 * DAY, 'p1')]);
    const later = await again();
    expect([later.status, windowOf(later)]).toEqual([304, `${T0}/${T0 + 2 * DAY + 60}`]);
    expect(later.headers).not.toHaveProperty('content-type');
  });
});
