import { describe, expect, it } from 'vitest';
import { DEFAULT_UNITS, parseAddress } from '../../web/src/address/address.ts';
import type { ShownToppers } from '../../web/src/data/shown-toppers.ts';
import { toCsv } from '../../web/src/export/csv.ts';
import { topCsv } from '../../web/src/export/top-csv.ts';
import { legendOf } from '../../web/src/export/top-picture.ts';
import type { ThemeState } from '../../web/src/parts/theme.ts';

describe('CSV', () => {
  it('follows RFC 4180, and holds nothing that a spreadsheet would run', () => {
    const rows = [['a,b', 'say "x"', 'two\nlines', null, 1.5, '12345678901234567890', -3]];
    expect(toCsv(rows)).toBe('"a,b","say ""x""","two\nlines",,1.5,12345678901234567890,-3\r\n');
    for (const start of ['=', '+', '-', '@', '\t', '\r']) {
      expect(toCsv([[`${start}cmd`]])).toMatch(/^"?'/);
    }
  });
});

describe('the legend of the exported picture', () => {
  const letters = [...'abcdefghijkl'];
  const keys = letters.map((key, i) => ({ key, label: key, metric: 100 - i, volume: 100 - i }));
  const lines = letters.slice(0, 10).map((key) => ({ key, label: key.toUpperCase() }));
  const shown = { table: { keys }, chart: { lines }, total: 1200, others: 23 };
  const legend = (search: string, kind: 'counter' | 'mean' = 'counter') =>
    legendOf({
      shown: shown as unknown as ShownToppers,
      terms: {
        kind,
        measure: { kind: 'other', name: 'packets' },
        units: DEFAULT_UNITS,
        topperBucketSize: 300,
      },
      address: parseAddress(search),
      theme: { theme: 'light' } as ThemeState,
      colors: new Map(),
    }).map(({ label, text }) => `${label} ${text}`);

  it('says what its last layer is: also the keys that the table lists, and the chart does not', () => {
    // 23 are not listed, 90 and 89 are.
    expect(legend('')).toEqual([
      ...lines.map(({ label }, i) => `${label} ${100 - i}`),
      'Others and keys 11 – 12 202',
    ]);
  });

  it('has no others if the chart has none', () => {
    expect(legend('?others=off')).toHaveLength(10);
    expect(legend('', 'mean')).toHaveLength(10);
  });
});

describe('the exported table', () => {
  const row = (rank: number, key: string, metric: number) => ({
    rank,
    key,
    readable: key,
    label: key,
    metric,
    volume: metric * 300,
    averageRate: 1,
    peak: 1,
    percentiles: [{ value: 1 }],
    share: 0.1,
    previous: null,
    rankValue: metric + 1,
  });
  const shown = {
    ranking: { by: 'percentile', percentile: 99 },
    percentile: 99,
    prefix: null,
    kind: 'rate',
    total: 80,
    others: 20,
    group: { name: 'Hosts', topperBucketSize: 300 },
    meter: { name: 'Rate', units: 'Bps' },
    hidden: [],
    table: { window: { from: 0, to: 600 }, keys: [row(1, 'a', 40), row(2, 'b', 20)] },
  } as unknown as ShownToppers;

  const table = (search: string, more: Partial<ShownToppers> = {}) => {
    const exported = { shown: { ...shown, ...more }, address: parseAddress(search) };
    const [head = [], ...rows] = topCsv(exported)
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    return rows.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
  };

  it('has no earlier values unless all of their window is available', () => {
    const previous = { metric: 7, rank: 3, changeRatio: 1, window: { from: 600, to: 1200 } };
    const keys = [{ ...row(1, 'a', 40), previous }] as unknown as ShownToppers['table']['keys'];
    const previousIn = (from: number, to: number) => {
      const more = { stored: { from, to }, table: { ...shown.table, keys } };
      const [first] = table('?context=lab', more);
      return [first?.['previous_metric'], first?.['previous_rank']];
    };
    expect(previousIn(600, 1800)).toEqual(['7', '3']);
    expect(previousIn(660, 1800)).toEqual(['', '']);
    expect(previousIn(0, 1140)).toEqual(['', '']);
  });

  it('has shares of what is shown, and the others as the table shows them', () => {
    const [first, , others] = table('?context=lab&hide=c&find=x');
    expect(first).toMatchObject({ key: 'a', share: '0.5', filter: 'Text: x', hidden_keys: 'c' });
    expect(others).toMatchObject({ key: 'OTHERS', metric: '20', volume: '6000', share: '0.25' });
    expect(others).toMatchObject({ peak_per_topper_bucket: '', hidden_keys: 'c' });
  });

  it('says what the keys are ranked by, with the value of each', () => {
    const [first, , others] = table('?context=lab&rank=p99');
    expect(first).toMatchObject({ ranked_by: 'p99', rank_value: '41', p99_per_topper_bucket: '1' });
    expect(others).toMatchObject({ ranked_by: 'p99', rank_value: '' });
  });

  it('says which networks take the place of addresses', () => {
    expect(table('?context=lab')[0]).toMatchObject({ networks: '' });
    const rows = topCsv({
      shown: { ...shown, prefix: { ipv4: 24, ipv6: 48 } },
      address: parseAddress('?context=lab'),
    });
    expect(rows).toContain(',p99,/24 (IPv6 /48),');
  });

  it('has no filter and no hidden keys if nothing was left out', () => {
    expect(table('?context=lab')[0]).toMatchObject({ filter: '', hidden_keys: '' });
  });
});
