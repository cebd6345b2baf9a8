import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../../support/files/csv-parsers.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const LONG = guidOf(2);

const METERS = [meter(2, 2), meter(4, 4), meter(5, 5), meter(11, 11), meter(12, 12)];

const line = (key: string, at: number, value: number, more: Partial<Line> = {}): Line => ({
  group: GROUP,
  key,
  ts: T0 + at,
  values: Object.fromEntries(METERS.map(({ id }) => [id, value])),
  ...more,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1, { meters: METERS, sampling_rate: 2 }), group(2)],
    lines: [
      line('a', 0, 10, { label: 'first,\n=of all' }),
      line('a', 600, 7),
      line('b', 300, 5),
      line('c', 0, 2),
      line('c', 900, 1),
      // Eight days of minutes: 11,521 of them.
      ...[0, 8 * DAY].map((at) => ({
        group: LONG,
        key: 'k',
        ts: T0 + at,
        values: { 0: 1 },
      })),
    ],
  });
});

afterAll(() => lab.close());

const WINDOW = { window_fromts: T0, window_tots: T0 + 1200 };

const ask = (parameters: RestParameters) =>
  lab.call(
    `${lab.path('topper')}?${new URLSearchParams(
      Object.entries({
        context: 'lab',
        username: 'ada',
        api_token: 'ada-token',
        counter_group: GROUP,
        ...WINDOW,
        meter: 2,
        maxitems: 2,
        format: 'csv',
        series: true,
        ...parameters,
      }).map(([name, value]) => [name, String(value)]),
    )}`,
  );

async function rows(parameters: RestParameters = {}): Promise<string[][]> {
  const { status, text } = await ask(parameters);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return parseCsv(text);
}

async function refusal(parameters: RestParameters): Promise<[number, string]> {
  const { status, text, headers } = await ask(parameters);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const { message } = JSON.parse(text) as { message: string };
  expect(JSON.parse(text)).toEqual({ status: 'ERROR', message });
  return [status, message];
}

describe('format=csv&series=true', () => {
  it('is a header, and a row for each step of each listed key, by time and rank', async () => {
    const { text, headers } = await ask({});
    expect(text).toBe(
      'at,key,label,value\r\n' +
        `${T0},a,"first,\n=of all",20\r\n${T0},b,b,0\r\n` +
        `${T0 + 300},a,"first,\n=of all",0\r\n${T0 + 300},b,b,10\r\n` +
        `${T0 + 600},a,"first,\n=of all",14\r\n${T0 + 600},b,b,0\r\n` +
        `${T0 + 900},a,"first,\n=of all",0\r\n${T0 + 900},b,b,0\r\n`,
    );
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const name = `series-${GROUP.slice(1, -1)}-2.csv`;
    expect(headers['content-disposition']).toBe(`attachment; filename="${name}"`);
  });

  it('has the points of GraphQL, for every kind of meter and any step', async () => {
    type Key = { key: string; label: string; series: { at: number; value: number }[] };
    const query = `query ($meter: Int!, $step: Int) { context(name: "lab") {
      counterGroup(guid: "${GROUP}") {
        topper(meter: $meter, maxItems: 2, window: { interval: { from: ${T0}, to: ${T0 + 1200} } }) {
          keys { key label series(step: $step) { at value } } } } } }`;
    for (const { id } of METERS) {
      for (const step of [undefined, 60, 600, 7200]) {
        const { context } = await lab.data<{
          context: { counterGroup: { topper: { keys: Key[] } } };
        }>(query, { meter: id, step: step ?? null });
        const points = context.counterGroup.topper.keys.flatMap(({ key, label, series }) =>
          series.map(({ at, value }) => [String(at), key, label, String(value)]),
        );
        const [, ...found] = await rows({ meter: id, ...(step !== undefined && { step }) });
        expect(found).toEqual(points.toSorted(([a], [b]) => Number(a) - Number(b)));
        expect(found.length).toBeGreaterThan(0);
      }
    }
  });

  it('is aligned to the epoch, even where the window is not', async () => {
    const window = { window_fromts: T0 + 301, window_tots: T0 + 899 };
    const [, ...found] = await rows({ ...window, step: 420, maxitems: 1, key_filter: 'a' });
    // Buckets from T0 + 360 to T0 + 840; T0 is 360 seconds after a multiple of 420.
    expect(found.map(([at]) => Number(at) - T0)).toEqual([60, 480]);
  });

  it('has no label with resolve_keys=false, and never percentiles or attributes', async () => {
    const plain = { resolve_keys: false, get_key_attributes: true, get_percentiles: '50' };
    const [header, first] = await rows(plain);
    expect([header, first]).toEqual([
      ['at', 'key', 'value'],
      [String(T0), 'a', '20'],
    ]);
  });

  it('without data is only the header', async () => {
    expect(await rows({ window_fromts: 0, window_tots: 600 })).toEqual([
      ['at', 'key', 'label', 'value'],
    ]);
    expect(await rows({ key_filter: 'nothing' })).toHaveLength(1);
  });

  it('has up to 10,000 points of a key', async () => {
    const long = { counter_group: LONG, meter: 0, window_tots: T0 + 10_000 * 60, step: 60 };
    const found = await rows(long);
    expect(found).toHaveLength(1 + 10_000);
    expect(found[1]).toEqual([String(T0), 'k', 'k', '1']);
    expect(await refusal({ ...long, window_tots: T0 + 10_001 * 60 })).toEqual([
      400,
      'step must be long enough for at most 10000 points, the shortest is 120, ' +
        'got "60, which gives 10001"',
    ]);
  });

  it.each([
    [61, 'step must be a positive multiple of the bucket size, 60, got 61'],
    [30, 'step must be a positive multiple of the bucket size, 60, got 30'],
    [0, 'step must be a positive multiple of the bucket size, 60, got 0'],
    [-60, 'step must be a positive multiple of the bucket size, 60, got -60'],
    ['x', 'step must be an integer, got "x"'],
    ['60.5', 'step must be an integer, got "60.5"'],
  ])('refuses the step %s as GraphQL does', async (step, message) => {
    expect(await refusal({ step })).toEqual([400, message]);
  });

  it('accepts a step of 68 years, and none longer', async () => {
    const found = await rows({ step: 2_147_483_640 });
    expect(found.slice(1).map(([at, key, , value]) => [at, key, value])).toEqual([
      ['0', 'a', '34'],
      ['0', 'b', '10'],
    ]);
    expect(await refusal({ step: 2_147_483_700 })).toEqual([
      400,
      'step must be at most 2147483647, got 2147483700',
    ]);
  });
});

describe('the parameters', () => {
  it.each([
    [{ format: 'json' }, 'format must be csv with series=true, got "json"'],
    [{ format: '' }, 'format must be csv with series=true, got "json"'],
    [{ series: '', step: 60 }, 'step must be given only with series=true, got 60'],
    [{ series: 'no', step: 60 }, 'step must be given only with series=true, got 60'],
    [{ series: 'maybe' }, 'series must be one of true, 1, yes, on, false, 0, no, off, got "maybe"'],
  ])('%o are refused', async (parameters, message) => {
    expect(await refusal(parameters)).toEqual([400, message]);
  });

  it('series=false is the table of the keys', async () => {
    const [header] = await rows({ series: 'off' });
    expect(header?.[0]).toBe('rank');
  });

  it('work by POST too', async () => {
    const body = { ...WINDOW, counter_group: GROUP, meter: 2, maxitems: 1, format: 'csv' };
    const asked = { context: 'lab', username: 'ada', api_token: 'ada-token', ...body };
    const posted = await lab.call(lab.path('topper'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...asked, series: true, step: 1200 }),
    });
    expect(parseCsv(posted.text).slice(1)).toEqual([[String(T0), 'a', 'first,\n=of all', '34']]);
  });
});
