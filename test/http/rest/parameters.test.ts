import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TopperBody } from '../../support/http/answers.ts';
import {
  ENCODINGS,
  type Encoding,
  encode,
  post,
  QUESTION_PARAMETERS,
  type RestParameters,
} from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, ENDPOINT_NAMES, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const WINDOW = { window_fromts: T0, window_seconds: 600 };

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: ['a', 'b', 'c', 'é&=+ %00'].map((key, i) => ({
      group: GROUP,
      key,
      ts: T0,
      values: { 0: 10 - i },
    })),
    declaration: { pools: [{ name: 'oper', path: '/nowhere' }] },
  });
});

afterAll(() => lab.close());

const BODIES = ENCODINGS.filter((encoding) => encoding !== 'query');

/** Each endpoint with a parameter of every kind that it takes. */
const FULL: Record<(typeof ENDPOINT_NAMES)[number], RestParameters> = {
  slices: { get_disk_usage: true, get_all_engines: 'yes', get_total_window: 1, timeout: 30 },
  groups: { counter_group: GROUP, get_meter_info: true, timeout: -1 },
  topper: {
    ...WINDOW,
    counter_group: GROUP,
    meter: 0,
    maxitems: 3,
    resolve_keys: false,
    flags: 7,
    get_key_attributes: true,
    get_percentiles: [95, 50.5],
    key_filter: '^[a-cé]',
    inverse_key_filter: '^b$',
    timeout: 10,
    time_zone: 'Europe/Berlin',
    probe_id: '',
  },
};

describe('an endpoint answers the same however it is asked (decision 1)', () => {
  for (const endpoint of ENDPOINT_NAMES) {
    it.each(BODIES)(`${endpoint}: a POST of %s is answered like the GET`, async (encoding) => {
      const asked = await lab.rest(endpoint, FULL[endpoint]);
      expect(asked.status).toBe(200);
      const posted = await lab.rest(endpoint, FULL[endpoint], { encoding });
      expect(posted).toMatchObject({ status: 200, text: asked.text });
    });

    it(`${endpoint}: a POST with all in the query string is answered like the GET`, async () => {
      const asked = await lab.rest(endpoint, FULL[endpoint]);
      const posted = await lab.rest(endpoint, FULL[endpoint], { method: 'POST' });
      expect(posted).toMatchObject({ status: 200, text: asked.text });
    });

    it(`${endpoint}: HEAD is answered like GET, without the body`, async () => {
      const asked = await lab.rest(endpoint, FULL[endpoint]);
      const head = await lab.rest(endpoint, FULL[endpoint], { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers['content-type']).toBe(asked.headers['content-type']);
      expect(head.headers['content-length']).toBe(asked.headers['content-length']);
    });
  }

  it('HEAD has the error status of GET', async () => {
    const head = await lab.rest('topper', {}, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 400, text: '' });
  });

  it.each(ENCODINGS)('reads %s exactly, whatever characters it contains', async (encoding) => {
    const key_filter = '^é&=\\+ %00$';
    const parameters = { ...WINDOW, counter_group: GROUP, key_filter };
    const { keys } = await lab.ok<TopperBody>('topper', parameters, { encoding });
    expect(keys.map(({ key }) => key)).toEqual(['é&=+ %00']);
  });
});

describe('a list parameter', () => {
  const ranksOf = async (path: string): Promise<number[] | undefined> => {
    const base = `username=ada&api_token=ada-token&context=lab&counter_group=${GROUP}`;
    const window = `window_fromts=${T0}&window_seconds=600`;
    const answer = await lab.call(`${lab.path('topper')}?${base}&${window}&${path}`);
    expect(answer.status).toBe(200);
    const { keys } = JSON.parse(answer.text) as TopperBody;
    return keys[0]?.percentiles?.map(({ rank }) => rank);
  };

  it.each([
    ['get_percentiles=50,95'],
    ['get_percentiles=50%2C95'],
    ['get_percentiles=50&get_percentiles=95'],
    ['get_percentiles[]=50&get_percentiles[]=95'],
    ['get_percentiles%5B%5D=50&get_percentiles%5B%5D=95'],
    ['get_percentiles[]=50,95'],
    ['get_percentiles=50&get_percentiles=50,95'],
    ['get_percentiles=50,95,50'],
    ['get_percentiles=50&get_percentiles=&get_percentiles=95'],
  ])('%s is 50 and 95', async (query) => {
    expect(await ranksOf(query)).toEqual([50, 95]);
  });

  it('keeps the order of the request, without duplicates', async () => {
    expect(await ranksOf('get_percentiles=95,0,50,95,100,0')).toEqual([95, 0, 50, 100]);
    expect(await ranksOf('get_percentiles=50.0,50')).toEqual([50]);
  });

  it('that is empty counts as not given', async () => {
    expect(await ranksOf('get_percentiles=')).toBeUndefined();
    expect(await ranksOf('get_percentiles[]=')).toBeUndefined();
  });

  it.each([
    ['a list of numbers', [50, 95]],
    ['a list of strings', ['50', '95']],
    ['a string', '50,95'],
    ['a mixed list', ['50', 95, null]],
  ])('may be %s in JSON', async (_, get_percentiles) => {
    const parameters = { ...WINDOW, counter_group: GROUP, get_percentiles };
    const { keys } = await lab.ok<TopperBody>('topper', parameters, { encoding: 'json' });
    expect(keys[0]?.percentiles?.map(({ rank }) => rank)).toEqual([50, 95]);
  });

  it('may be one number in JSON', async () => {
    const parameters = { ...WINDOW, counter_group: GROUP, get_percentiles: 99.9 };
    const { keys } = await lab.ok<TopperBody>('topper', parameters, { encoding: 'json' });
    expect(keys[0]?.percentiles?.map(({ rank }) => rank)).toEqual([99.9]);
  });
});

describe('a parameter', () => {
  it.each(BODIES)('in a body of %s wins over the query string', async (encoding) => {
    const query = { counter_group: 'nonsense', maxitems: 0, context: 'nowhere', resolve_keys: '?' };
    const text = new URLSearchParams({ ...query, maxitems: '0' }).toString();
    const parameters = { ...WINDOW, counter_group: GROUP, maxitems: 1, resolve_keys: false };
    const { call } = await encodedCall(parameters, encoding);
    const answer = await lab.call(`${lab.path('topper')}?${text}`, call);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ keys: [{ key: 'a' }], sysgrouptotal: 24 });
  });

  it('that is only in the query string counts alongside a body', async () => {
    const call = post('application/json', JSON.stringify({ counter_group: GROUP, maxitems: 1 }));
    const query = new URLSearchParams({
      username: ADA.username,
      api_token: ADA.token,
      context: CONTEXT,
      maxitems: '3',
      window_fromts: String(T0),
      window_seconds: '60',
    });
    const answer = await lab.call(`${lab.path('topper')}?${query}`, call);
    expect(JSON.parse(answer.text)).toMatchObject({ keys: [{ key: 'a' }] });
  });

  it.each(ENCODINGS)('that is empty in %s counts as not given, for each name', async (encoding) => {
    for (const endpoint of ENDPOINT_NAMES) {
      const required = endpoint === 'topper' ? { ...WINDOW, counter_group: GROUP } : {};
      const empty = Object.fromEntries(ALL_NAMES.map((name) => [name, '']));
      const asked = await lab.rest(endpoint, required);
      const posted = await lab.rest(endpoint, { ...empty, ...required }, { encoding });
      expect(posted).toMatchObject({ status: 200, text: asked.text });
    }
  });

  it('that is null in JSON counts as not given', async () => {
    const nothing = Object.fromEntries(ALL_NAMES.map((name) => [name, null]));
    const parameters = { ...nothing, ...WINDOW, counter_group: GROUP };
    const asked = await lab.rest('topper', { ...WINDOW, counter_group: GROUP });
    const posted = await lab.rest('topper', parameters, { encoding: 'json' });
    expect(posted).toMatchObject({ status: 200, text: asked.text });
    expect(await lab.refusal('topper', { context: null }, { encoding: 'json' })).toEqual([
      400,
      'context is required',
    ]);
  });

  it('that is unknown is ignored', async () => {
    const unknown = { sort: 'desc', limit: 'x', '': 'y', toString: 'z', constructor: '1' };
    for (const encoding of ENCODINGS) {
      const answer = await lab.rest('slices', unknown, { encoding });
      expect(answer.status).toBe(200);
    }
  });

  it('that is not a list is refused when it is given twice', async () => {
    for (const encoding of ENCODINGS) {
      const twice = { ...WINDOW, counter_group: GROUP, maxitems: [1, 1] };
      const [status, message] = await lab.refusal('topper', twice, { encoding });
      expect(message).toMatch(/^maxitems must be ./);
      expect(status).toBe(400);
    }
  });

  it.each([
    ['an object', { maxitems: { a: 1 } }],
    ['an object in a list', { get_percentiles: [{ rank: 50 }] }],
    ['a list in a list', { get_percentiles: [[50], 95] }],
    ['an object in place of a boolean', { resolve_keys: {} }],
    ['an object in place of a string', { key_filter: { match: 'a' } }],
    ['an object in place of the context', { context: { name: 'lab' } }],
  ])('that is nested in JSON is refused: %s', async (_, nested) => {
    const body = { username: 'ada', api_token: 'ada-token', context: 'lab', counter_group: GROUP };
    const call = post('application/json', JSON.stringify({ ...body, ...nested }));
    const answer = await lab.call(lab.path('topper'), call);
    expect(JSON.parse(answer.text)).toEqual({ status: 'ERROR', message: expect.any(String) });
    expect(answer.text).toContain(Object.keys(nested)[0]);
    expect(answer.status).toBe(400);
  });
});

const ALL_NAMES = [...QUESTION_PARAMETERS, 'format'];

const encodedCall = (parameters: RestParameters, encoding: Encoding) =>
  encode(
    { context: CONTEXT, username: ADA.username, api_token: ADA.token, ...parameters },
    encoding,
  );
