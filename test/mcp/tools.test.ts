import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../mcp/tools.ts';
import { bearerOf, connectMcp, type McpClient } from '../support/http/mcp-client.ts';
import { T0 } from '../support/lab/lab.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { CONTEXT, HOST_A, HOSTS, PAIRS, startMcpLab, WINDOW } from './mcp-lab.ts';

let lab: TestService;
let ada: McpClient;

beforeAll(async () => {
  lab = await startMcpLab();
  ada = await connectMcp(lab.url, bearerOf(ADA));
  // The client checks answers against the schemas only for tools that it has listed.
  await ada.client.listTools();
});

afterAll(() => lab.close());

const HOUR = {
  from: T0,
  to: T0 + 3600,
  fromTime: '2024-07-15T00:00:00Z',
  toTime: '2024-07-15T01:00:00Z',
};

const TOTAL = {
  index: 0,
  name: 'Total',
  units: 'bytes',
  metric: 'sum over the window',
  addsUp: true,
};

const asked = { context: CONTEXT, counterGroup: 'Hosts', window: WINDOW };

type Ranked = { keys: { readable: string; metric: number; rankValue?: number }[] };

const ranked = async (given: object) =>
  (await ada.ask<Ranked>('topper', Object.assign({}, asked, given))).keys.map(
    ({ readable, rankValue, metric }) => [readable, rankValue ?? metric],
  );

describe('the tools', () => {
  it('are those of the contract, read-only, with the schemas of arguments and answers', async () => {
    const { tools } = await ada.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_contexts',
      'list_groups',
      'topper',
      'key_series',
      'drilldown',
      'search_keys',
      'alerts',
    ]);
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { annotations, description, inputSchema, outputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true });
      expect(description).toMatch(/\.$/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
    }
  });

  it('are the same in each revision of the protocol', async () => {
    const modern = await connectMcp(lab.url, bearerOf(ADA), { pin: '2026-07-28' });
    expect(await modern.client.listTools()).toMatchObject({
      tools: (await ada.client.listTools()).tools,
    });
    expect(await modern.ask('topper', asked)).toEqual(await ada.ask('topper', asked));
    await modern.client.close();
  });
});

describe('list_contexts', () => {
  it('lists the contexts that the caller may read, with the interval of their data', async () => {
    const answer = await ada.ask('list_contexts');
    expect(answer).toEqual({
      username: 'ada',
      contexts: [
        {
          name: CONTEXT,
          probes: ['p1'],
          totalWindow: {
            from: T0 - 600,
            to: T0 + 1860,
            fromTime: '2024-07-14T23:50:00Z',
            toTime: '2024-07-15T00:31:00Z',
          },
        },
      ],
    });
  });
});

describe('list_groups', () => {
  it('lists groups with their meters, units and drill-downs', async () => {
    const { counterGroups } = await ada.ask<{ counterGroups: object[] }>('list_groups', {
      context: CONTEXT,
      search: 'hosts',
    });
    expect(counterGroups).toMatchObject([
      {
        guid: HOSTS,
        name: 'Hosts',
        keyKind: 'IP',
        bucketSize: 60,
        topperBucketSize: 300,
        meters: [
          { index: 0, name: 'Total', description: 'All bytes', units: 'bytes' },
          {
            index: 5,
            name: 'Load',
            units: 'percent',
            metric: 'mean of the readings in the window',
          },
        ],
        drilldowns: [{ guid: PAIRS, name: 'Hosts × Apps' }],
      },
      { name: 'Hosts × Apps', keyKind: 'CROSSKEY', drilldowns: [] },
    ]);
  });
});

describe('topper', () => {
  it('ranks keys, and gives the total that they and the others add up to', async () => {
    const { structured, text } = await ada.call('topper', Object.assign({ maxItems: 1 }, asked));
    expect(structured).toEqual({
      context: CONTEXT,
      counterGroup: { guid: HOSTS, name: 'Hosts' },
      meter: TOTAL,
      rankBy: 'METRIC',
      window: HOUR,
      keys: [
        {
          rank: 1,
          key: HOST_A,
          readable: '10.0.0.1',
          label: 'alpha',
          metric: 1500,
          share: 1500 / 1780,
          averageRate: 1500 / 1860,
        },
      ],
      keyCount: 3,
      total: 1780,
      others: 280,
      othersMatching: 280,
    });
    expect(text.split('\n')).toEqual([
      'Hosts by Total in bytes in lab',
      'window 2024-07-15T00:00:00Z to 2024-07-15T01:00:00Z (3600 s)',
      '1. 10.0.0.1 ("alpha"): 1,500 bytes (1.5 kB), 84.3 %, 0.8065 bytes/s',
      '1 of 3 keys; the listed and the others (280 bytes) add up to the total: 1,780 bytes (1.78 kB)',
    ]);
  });

  it('accepts a group by name or GUID, and a meter by number or name, in any case', async () => {
    const answer = await ada.ask('topper', asked);
    for (const counterGroup of ['hosts', HOSTS, HOSTS.slice(1, -1).toLowerCase()]) {
      for (const meter of [0, '0', 'total', 'TOTAL', 'All bytes']) {
        const given = Object.assign({}, asked, { counterGroup, meter });
        expect(await ada.ask('topper', given)).toEqual(answer);
      }
    }
  });

  it('gives the values of GraphQL', async () => {
    const { context } = await lab.data<{ context: { counterGroup: { topper: object } } }>(
      `query ($guid: Guid!, $window: WindowInput!) { context(name: "lab") {
        counterGroup(guid: $guid) { topper(meter: 5, window: $window, maxItems: 10) {
          total others othersMatching keyCount keys { rank key readable metric } } } } }`,
      { guid: HOSTS, window: WINDOW },
    );
    const answer = await ada.ask('topper', Object.assign({ meter: 'load' }, asked));
    expect(answer).toMatchObject(context.counterGroup.topper);
    expect(answer).toMatchObject({ meter: { units: 'percent', addsUp: false } });
  });

  it.each([
    [
      'METRIC',
      {},
      [
        ['10.0.0.1', 1500],
        ['10.0.0.2', 200],
        ['10.0.1.1', 80],
      ],
    ],
    [
      'PEAK',
      {},
      [
        ['10.0.0.1', 1000],
        ['10.0.0.2', 200],
        ['10.0.1.1', 50],
      ],
    ],
    ['PERCENTILE', { percentile: 100, maxItems: 1 }, [['10.0.0.1', 1000]]],
    [
      'GROWTH',
      {},
      [
        ['10.0.0.1', 1400],
        ['10.0.1.1', 80],
      ],
    ],
    ['DECLINE', {}, [['10.0.0.2', 300]]],
    ['NEW', {}, [['10.0.1.1', 80]]],
  ])('ranks by %s', async (rankBy, more, expected) => {
    expect(await ranked(Object.assign({ rankBy }, more))).toEqual(expected);
  });

  it('compares each key with the window before, on request or when ranking by it', async () => {
    const before = { metric: 100, change: 1400, changeRatio: 14, rank: 2 };
    for (const more of [{ compare: true }, { rankBy: 'GROWTH' }, { compare: true, ago: 3600 }]) {
      const given = Object.assign({ maxItems: 1 }, asked, more);
      const { structured, text } = await ada.call('topper', given);
      expect(structured).toMatchObject({
        keys: [{ key: HOST_A, previous: before }],
        previousWindow: { from: T0 - 3600, to: T0 },
      });
      expect(text).toContain('before 100 bytes (+1,400 bytes (1.4 kB), +1400.0 %)');
    }
  });

  it.each(['GROWTH', 'DECLINE', 'NEW', 'METRIC'])(
    'names the window that it compares with by %s when no key is listed, too',
    async (rankBy) => {
      const more = { rankBy, compare: true, filter: { keys: ['10.9.9.9'] } };
      const { structured, text } = await ada.call('topper', Object.assign({}, asked, more));
      expect(structured).toMatchObject({ keys: [], previousWindow: { from: T0 - 3600, to: T0 } });
      expect(text).toContain('compared with 2024-07-14T23:00:00Z to 2024-07-15T00:00:00Z');
      const later = Object.assign({ ago: 60 }, asked, more);
      expect(await ada.ask('topper', later)).toMatchObject({ previousWindow: { from: T0 - 60 } });
      const first = Object.assign({}, asked, { filter: more.filter, compare: true });
      const window = { interval: { from: 0, to: 60 } };
      const { previousWindow } = await ada.ask('topper', Object.assign(first, { window }));
      expect(previousWindow).toBeUndefined();
    },
  );

  it('says which percentile it ranks by', async () => {
    for (const [more, percentile] of [
      [{}, 95],
      [{ percentile: 99.9 }, 99.9],
    ] as const) {
      const given = Object.assign({ rankBy: 'PERCENTILE' }, asked, more);
      const { structured, text } = await ada.call('topper', given);
      expect(structured).toMatchObject({ rankBy: 'PERCENTILE', percentile });
      expect(text).toContain(`in lab, ranked by PERCENTILE ${percentile} of the topper buckets\n`);
    }
    expect(await ada.ask('topper', asked)).not.toHaveProperty('percentile');
  });

  it.each([
    [{ keys: ['10.0.0.2'] }, ['10.0.0.2']],
    [{ excludeKeys: [HOST_A] }, ['10.0.0.2', '10.0.1.1']],
    [{ cidr: ['10.0.0.0/24'] }, ['10.0.0.1', '10.0.0.2']],
    [{ excludeCidr: ['10.0.0.0/24'] }, ['10.0.1.1']],
    [{ search: 'ALPHA' }, ['10.0.0.1']],
    [{ match: '\\.02$' }, ['10.0.0.2']],
    [{ exclude: '\\.02$', search: '10.0.0.' }, ['10.0.0.1']],
  ])('lists the keys that pass the filter %j', async (filter, expected) => {
    expect((await ranked({ filter })).map(([readable]) => readable)).toEqual(expected);
  });

  it('ranks networks in place of addresses', async () => {
    expect(await ranked({ prefix: {} })).toEqual([
      ['10.0.0.0/24', 1700],
      ['10.0.1.0/24', 80],
    ]);
    expect(await ranked({ prefix: { ipv4: 16 } })).toEqual([['10.0.0.0/16', 1780]]);
  });

  it('may be limited to one probe', async () => {
    expect(await ranked({ probe: 'p1' })).toEqual([['10.0.1.1', 30]]);
  });

  it.each([
    [{ recentSeconds: 1860 }],
    [{ startingAt: { from: T0, seconds: 1860 } }],
    [{ dates: { from: '2024-07-15', to: '2024-07-15T00:31' } }],
    [{ dates: { from: '2024-07-15T02:00:00+02:00', to: '2024-07-15T00:31Z' } }],
    [{ preset: 'TODAY' }],
    [undefined],
  ])('accepts the window %j', async (window) => {
    expect(await ranked({ window })).toEqual(await ranked({}));
  });

  it('reports the available window when no key is listed', async () => {
    const window = { interval: { from: T0 - 7200, to: T0 - 3600 } };
    const { structured, text } = await ada.call('topper', Object.assign({}, asked, { window }));
    expect(structured).toMatchObject({
      keys: [],
      keyCount: 0,
      total: 0,
      availableWindow: { fromTime: '2024-07-14T23:50:00Z', toTime: '2024-07-15T00:31:00Z' },
    });
    expect(text).toContain('data are from 2024-07-14T23:50:00Z to 2024-07-15T00:31:00Z');
    const filtered = Object.assign({ filter: { keys: ['10.9.9.9'] } }, asked);
    expect((await ada.call('topper', filtered)).text).toContain('no key qualifies');
  });
});

describe('key_series', () => {
  type Series = { step: number; points: { time: string; value: number }[] };

  const series = (more: object = {}) =>
    ada.ask<Series>('key_series', Object.assign({ key: '10.0.0.1' }, asked, more));

  it('shows one key over time, in points that add up to its metric', async () => {
    const answer = await series({ maxPoints: 4 });
    expect(answer).toMatchObject({
      key: { key: HOST_A, readable: '10.0.0.1', label: 'alpha' },
      meter: TOTAL,
      window: HOUR,
      step: 600,
      metric: 1500,
      peak: 1000,
      total: 1780,
      share: 1500 / 1780,
    });
    expect(answer.points).toEqual([
      { at: T0, time: '2024-07-15T00:00:00Z', value: 1000 },
      { at: T0 + 600, time: '2024-07-15T00:10:00Z', value: 0 },
      { at: T0 + 1200, time: '2024-07-15T00:20:00Z', value: 0 },
      { at: T0 + 1800, time: '2024-07-15T00:30:00Z', value: 500 },
    ]);
  });

  it.each([
    [1, 2400],
    [2, 1200],
    [3, 900],
    [5, 600],
    [7, 300],
    [50, 300],
  ])('has at most %i points: every %i seconds', async (maxPoints, step) => {
    const { points, ...answer } = await series({ maxPoints });
    expect(answer.step).toBe(step);
    expect(points.length).toBeLessThanOrEqual(maxPoints);
    expect(points.reduce((sum, { value }) => sum + value, 0)).toBe(1500);
  });

  it('accepts a step', async () => {
    expect((await series({ step: 60 })).points).toHaveLength(31);
  });

  it('works for a network too', async () => {
    const answer = await series({ key: '10.0.0.0/24', prefix: {}, maxPoints: 1 });
    expect(answer).toMatchObject({ key: { readable: '10.0.0.0/24' }, metric: 1700 });
  });

  it('says that the key has no data in the window, and where the group has data', async () => {
    const given = Object.assign({}, asked, { key: '10.9.9.9' });
    expect(await ada.fault('key_series', given)).toBe(
      'The key "10.9.9.9" of Hosts has no Total in the window 2024-07-15T00:00:00Z to ' +
        '2024-07-15T01:00:00Z (3600 s); the group has data from 2024-07-14T23:50:00Z to ' +
        '2024-07-15T00:31:00Z (2460 s), and search_keys finds its keys',
    );
  });
});
