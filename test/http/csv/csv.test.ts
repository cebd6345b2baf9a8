import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../../support/files/csv-parsers.ts';
import type { TopperBody } from '../../support/http/answers.ts';
import type { HttpAnswer, HttpCall } from '../../support/http/http-call.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';

const [GROUP, NASTY, HUGE, MANY] = [1, 2, 3, 4].map(guidOf) as [string, string, string, string];

const line = (
  guid: string,
  key: string,
  value: number | bigint,
  more: Partial<Line> = {},
): Line => ({
  group: guid,
  key,
  ts: T0,
  values: { 0: value },
  ...more,
});

const NASTY_LABELS = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  'a,b',
  'a "b"',
  'plain',
  "'quoted",
  'ü=1',
  'a\n=1+1',
  'a\r=1+1',
  'a\r\n=1+1',
  '\n=1+1',
  ' =1+1',
  '"',
  '",\r\n"=1+1',
  ' x ',
];

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1), group(2, { meters: [meter(0, 5)] }), group(3), group(4)],
    lines: [
      line(GROUP, 'a', 50, { label: 'first', attributes: { os: 'x; y=z', cpu: '2' } }),
      line(GROUP, 'b', 40, { description: 'the second,\nof two' }),
      line(GROUP, 'c', 30),
      line(GROUP, 'a', 10, { ts: T0 + 300 }),
      ...NASTY_LABELS.map((label, i) =>
        line(NASTY, `=${10 + i}`, -i, { label, description: `${label}\n` }),
      ),
      ...Array.from({ length: 1500 }, (_, i) => line(MANY, `k${i}`, 1)),
      ...[0, 60].map((at) => line(HUGE, 'h', 2n ** 63n - 1n, { ts: T0 + at })),
    ],
  });
});

afterAll(() => lab.close());

const ask = (parameters: Record<string, string | number | boolean>, how: HttpCall = {}) => {
  const all = {
    context: CONTEXT,
    username: ADA.username,
    api_token: ADA.token,
    counter_group: GROUP,
    window_fromts: T0,
    window_seconds: 600,
    ...parameters,
  };
  const query = new URLSearchParams(Object.entries(all).map(([k, v]) => [k, String(v)]));
  return lab.call(`${lab.path('topper')}?${query}`, how);
};

async function csv(parameters: Record<string, string | number | boolean>): Promise<HttpAnswer> {
  const answer = await ask({ format: 'csv', ...parameters });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer;
}

const rows = async (parameters: Record<string, string | number | boolean>): Promise<string[][]> =>
  parseCsv((await csv(parameters)).text);

describe('format=csv', () => {
  it('is a header, a row for each key and one for the others', async () => {
    const { text } = await csv({ maxitems: 2 });
    expect(text).toBe(
      'rank,key,readable,label,metric,description\r\n' +
        '1,a,a,first,60,\r\n' +
        '2,b,b,b,40,"the second,\nof two"\r\n' +
        'others,,,,30,\r\n',
    );
  });

  it('has a content type and a file name', async () => {
    const { headers } = await csv({});
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const name = `topper-${GROUP.slice(1, -1)}-0.csv`;
    expect(headers['content-disposition']).toBe(`attachment; filename="${name}"`);
  });

  it('has a column for each percentile, in their given order, and one for attributes', async () => {
    const [header, first, second, ...rest] = await rows({
      get_percentiles: '99.9,0',
      get_key_attributes: true,
      resolve_keys: false,
      maxitems: 2,
    });
    expect(header).toEqual(['rank', 'key', 'metric', 'p99.9', 'p0', 'description', 'attributes']);
    expect(first?.slice(0, 5)).toEqual(['1', 'a', '60', '50', '10']);
    expect(JSON.parse(first?.at(-1) ?? '')).toEqual({ os: 'x; y=z', cpu: '2' });
    expect(second).toEqual(['2', 'b', '40', '40', '0', 'the second,\nof two', '']);
    expect(rest).toEqual([['others', '', '30', '', '', '', '']]);
  });

  it('has the values of the JSON answer, for any question', async () => {
    const questions: RestParameters[] = [
      {},
      { maxitems: 1 },
      { key_filter: 'b' },
      { counter_group: NASTY },
      { counter_group: HUGE },
      { key_filter: 'none' },
      { window_fromts: 0 },
    ];
    for (const question of questions) {
      const asked = { counter_group: GROUP, window_fromts: T0, window_seconds: 600, ...question };
      const body: TopperBody = await lab.topper(asked);
      const [, ...lines] = await rows(question as Record<string, string>);
      expect(lines.map(([rank, , , , metric]) => [rank, metric])).toEqual([
        ...body.keys.map(({ metric }, i) => [String(i + 1), String(metric)]),
        ['others', String(body.sysgrouptotal)],
      ]);
    }
  });

  it('has as many rows as requested, however many', async () => {
    const [, ...lines] = await rows({ counter_group: MANY, maxitems: 1200 });
    expect(lines.map(([rank]) => rank)).toEqual([
      ...Array.from({ length: 1200 }, (_, i) => String(i + 1)),
      'others',
    ]);
    expect(lines.at(-1)?.[4]).toBe(String(300));
  });

  it('writes integers in full, however large', async () => {
    const [, row] = await rows({ counter_group: HUGE });
    expect(row?.[4]).toBe(String(2n ** 64n - 2n));
  });

  it('gives a spreadsheet no formula, and leaves negative numbers alone', async () => {
    const [, ...lines] = await rows({ counter_group: NASTY });
    const cells = lines.slice(0, -1);
    const guarded = [
      "'=1+1",
      "'+1",
      "'-1",
      "'@SUM(A1)",
      'a,b',
      'a "b"',
      'plain',
      "'quoted",
      'ü=1',
      'a\n=1+1',
      'a\r=1+1',
      'a\r\n=1+1',
      "'\n=1+1",
      "' =1+1",
      '"',
      '",\r\n"=1+1',
      ' x ',
    ];
    expect(cells.map(([, , , label]) => label)).toEqual(guarded);
    expect(cells.map((row) => row.at(-1))).toEqual(guarded.map((label) => `${label}\n`));
    expect(cells.map(([, key]) => key)).toEqual(NASTY_LABELS.map((_, i) => `'=${10 + i}`));
    expect(cells.map(([, , , , metric]) => metric)).toEqual(NASTY_LABELS.map((_, i) => String(-i)));
  });

  it('without keys is the header and the others', async () => {
    expect(await rows({ window_fromts: 0 })).toEqual([
      ['rank', 'key', 'readable', 'label', 'metric', 'description'],
      ['others', '', '', '', '0', ''],
    ]);
  });

  it('has its own ETag, and answers HEAD', async () => {
    const json = await ask({});
    const table = await csv({});
    expect(table.headers.etag).not.toBe(json.headers.etag);
    const same = { headers: { 'if-none-match': table.headers.etag ?? '' } };
    expect((await ask({ format: 'csv' }, same)).status).toBe(304);
    expect((await ask({}, same)).status).toBe(200);
    const head = await ask({ format: 'csv' }, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-type']).toBe(table.headers['content-type']);
  });

  it('reports its errors in JSON', async () => {
    const { status, headers, text } = await ask({ format: 'csv', meter: 9 });
    expect(status).toBe(422);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toEqual({ status: 'ERROR', message: 'Invalid meter - 9' });
  });
});

describe('another format', () => {
  it.each(['', 'json'])('%j is JSON, as by default', async (format) => {
    const plain = await ask({});
    const asked = await ask({ format });
    expect(asked.text).toBe(plain.text);
    expect(asked.headers['content-type']).toBe(plain.headers['content-type']);
  });

  it('is not chosen by the accept header: legacy callers send any', async () => {
    const plain = await ask({});
    const { text } = await ask({}, { headers: { accept: 'text/csv' } });
    expect(text).toBe(plain.text);
  });

  it.each(['xml', 'CSV', 'csv '])('%j is refused', async (format) => {
    const { status, text } = await ask({ format });
    const message = `format must be one of json, csv, got ${JSON.stringify(format)}`;
    expect([status, JSON.parse(text)]).toEqual([400, { status: 'ERROR', message }]);
  });

  it('is ignored by the other endpoints', async () => {
    expect((await lab.rest('slices', { format: 'csv' })).status).toBe(200);
  });
});
