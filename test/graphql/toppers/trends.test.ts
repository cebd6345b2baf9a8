import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseReadableKey } from '../../../domain/keys/key-text.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const HOSTS = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  const line = (address: string, at: number, value: number): Line => ({
    group: HOSTS,
    key: parseReadableKey('ip', address) ?? '',
    ts: T0 + at,
    values: { 0: value },
  });
  lab = await startLab({
    groups: [group(1, { key_kind: 'ip', meters: [meter(0, 2), meter(1, 0)] })],
    lines: [
      line('10.0.0.1', 0, 5),
      line('10.0.0.2', 60, 7),
      line('10.0.0.1', 300, 1),
      line('10.0.0.2', 300, 1),
      line('10.0.0.3', 360, 9),
      line('10.0.0.2', 960, 4),
    ],
  });
});

afterAll(() => lab.close());

const inHosts = (args: string, fields: string): string =>
  `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { topperTrend(${args}) { ${fields} } } } }`;

type Answer = { context: { counterGroup: { topperTrend: Record<string, unknown>[] } } };

const ask = async (args: string, fields: string): Promise<Record<string, unknown>[]> =>
  (await lab.data<Answer>(inHosts(args, fields))).context.counterGroup.topperTrend;

const interval = (from: number, to: number): string =>
  `window: { interval: { from: ${T0 + from}, to: ${T0 + to} } }`;

describe('a trend', () => {
  it('has the topper of each step, oldest first, including steps without readings', async () => {
    const fields = 'window { from to } total others keyCount keys { rank readable metric }';
    const trend = await ask(`every: 300, maxItems: 2, ${interval(0, 1200)}`, fields);
    const stepAt = (at: number) => ({ window: { from: T0 + at, to: T0 + at + 300 } });
    expect(trend).toEqual([
      {
        ...stepAt(0),
        total: 12,
        others: 0,
        keyCount: 2,
        keys: [
          { rank: 1, readable: '10.0.0.2', metric: 7 },
          { rank: 2, readable: '10.0.0.1', metric: 5 },
        ],
      },
      {
        ...stepAt(300),
        total: 11,
        others: 1,
        keyCount: 3,
        keys: [
          { rank: 1, readable: '10.0.0.3', metric: 9 },
          { rank: 2, readable: '10.0.0.1', metric: 1 },
        ],
      },
      { ...stepAt(600), total: 0, others: 0, keyCount: 0, keys: [] },
      {
        ...stepAt(900),
        total: 4,
        others: 0,
        keyCount: 1,
        keys: [{ rank: 1, readable: '10.0.0.2', metric: 4 }],
      },
    ]);
  });

  it('clips its steps, which are aligned to the epoch, to the window', async () => {
    const fields = 'window { from to seconds } total';
    expect(await ask(`every: 300, ${interval(60, 361)}`, fields)).toEqual([
      { window: { from: T0 + 60, to: T0 + 300, seconds: 240 }, total: 7 },
      { window: { from: T0 + 300, to: T0 + 361, seconds: 61 }, total: 11 },
    ]);
    expect(await ask(`every: 300, ${interval(301, 302)}`, fields)).toEqual([
      { window: { from: T0 + 301, to: T0 + 302, seconds: 1 }, total: 0 },
    ]);
    expect(await ask(`every: 86400, ${interval(0, 600)}`, fields)).toEqual([
      { window: { from: T0, to: T0 + 600, seconds: 600 }, total: 23 },
    ]);
  });

  const refusals: readonly [string, string][] = [
    ['every: 0', 'every must be a positive multiple of the bucket size, 60, got 0'],
    ['every: -60', 'every must be a positive multiple of the bucket size, 60, got -60'],
    ['every: 90', 'every must be a positive multiple of the bucket size, 60, got 90'],
    [
      `every: 60, ${interval(0, 60_001)}`,
      'every must be long enough for at most 1000 steps, the shortest is 120, got "60, which gives 1001"',
    ],
    ['every: 60, meter: 1', 'Invalid meter - 1'],
    ['every: 60, meter: 9', 'Invalid meter - 9'],
    ['every: 60, probe: "none"', 'Invalid probe - none'],
    ['every: 60, maxItems: 0', 'maxItems must be an integer from 1 to 10000, got 0'],
    ['every: 60, timeZone: "Nowhere"', 'timeZone must be an IANA time zone name, got "Nowhere"'],
    ['every: 60, timeoutSeconds: 0', 'timeoutSeconds must be an integer from 1 to 2147483, got 0'],
  ];

  it.each(refusals)('refuses %s', async (args, message) => {
    const { errors, data } = await lab.graphql(inHosts(args, 'total'));
    expect(errors).toEqual([
      expect.objectContaining({
        message,
        extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
        path: ['context', 'counterGroup', 'topperTrend'],
      }),
    ]);
    expect(data).toEqual({ context: { counterGroup: { topperTrend: null } } });
  });

  it('has up to 1,000 steps', async () => {
    expect(await ask(`every: 60, ${interval(0, 60_000)}`, 'total')).toHaveLength(1000);
  });
});
