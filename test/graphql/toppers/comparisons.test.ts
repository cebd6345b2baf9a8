import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const [HOSTS, APPS, CROSS, PAIRS, ALIEN] = [1, 2, 3, 4, 5].map(guidOf) as [
  string,
  string,
  string,
  string,
  string,
];

const METERS = [meter(0, 2), meter(4, 4), meter(5, 5), meter(11, 11)];

const WINDOW = `window: { interval: { from: ${T0 + 600}, to: ${T0 + 1200} } }`;

const line = (guid: string, key: string, at: number, value: number, more = {}): Line => ({
  group: guid,
  key,
  ts: T0 + at,
  values: { 0: value, 4: value * 300, 5: value, 11: value },
  ...more,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { meters: METERS, sampling_rate: 2 }),
      group(2, { meters: METERS }),
      group(3, {
        key_kind: 'crosskey',
        meters: METERS,
        sampling_rate: 5,
        crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS },
      }),
      group(4, {
        key_kind: 'crosskey',
        meters: METERS,
        crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS, crosskeyguid_2: HOSTS },
      }),
      group(5, {
        key_kind: 'crosskey',
        meters: METERS,
        crosskey: { parentguid: APPS, crosskeyguid_1: APPS },
      }),
    ],
    lines: [
      // The previous window has c, a and x; the window itself has a, b and c.
      line(HOSTS, 'a', 0, 10),
      line(HOSTS, 'a', 599, 5),
      line(HOSTS, 'c', 300, 40),
      line(HOSTS, 'x', 300, 99),
      line(HOSTS, 'a', 600, 60),
      line(HOSTS, 'b', 900, 30),
      line(HOSTS, 'c', 1199, 10, { probe: 'p1' }),
      line(CROSS, 'a\\http', 600, 8),
      line(CROSS, 'a\\dns', 900, 4, { probe: 'p1' }),
      line(CROSS, 'a\\ssh', 900, 2),
      line(CROSS, 'b\\http', 600, 100),
      line(CROSS, 'http\\a', 600, 1000),
      line(CROSS, 'a\\dns', 0, 3),
      line(CROSS, 'a\\ssh', 0, 7),
      line(CROSS, 'b\\ssh', 0, 50),
      line(PAIRS, 'a\\http\\b', 600, 1),
      line(PAIRS, 'b\\http\\a', 600, 2),
      line(PAIRS, 'a\\http\\a', 600, 4),
      line(PAIRS, 'b\\a\\b', 600, 100),
      line(PAIRS, 'c\\http\\b', 600, 200),
      line(ALIEN, 'a\\a', 600, 1),
    ],
  });
});

afterAll(() => lab.close());

type Key = { key: string; [field: string]: unknown };

async function keys(args: string, selection: string): Promise<Key[]> {
  const { context } = await lab.data<{ context: { counterGroup: { topper: { keys: Key[] } } } }>(
    `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { topper(${args} ${WINDOW}) {
      keys { key ${selection} } } } } }`,
  );
  return context.counterGroup.topper.keys;
}

const PREVIOUS = 'window { from to } metric rank change changeRatio';

describe('previous', () => {
  const before = { from: T0, to: T0 + 600 };

  it('is the same key in the window just before', async () => {
    expect(await keys('', `metric previous { ${PREVIOUS} }`)).toEqual([
      {
        key: 'a',
        metric: 120,
        previous: { window: before, metric: 30, rank: 3, change: 90, changeRatio: 3 },
      },
      {
        key: 'b',
        metric: 60,
        // Without a reading in that window, there is nothing to divide by.
        previous: { window: before, metric: 0, rank: null, change: 60, changeRatio: null },
      },
      {
        key: 'c',
        metric: 20,
        previous: { window: before, metric: 80, rank: 2, change: -60, changeRatio: -0.75 },
      },
    ]);
  });

  it('may lie any time in the past', async () => {
    expect(await keys('maxItems: 1,', `previous(ago: 300) { ${PREVIOUS} }`)).toEqual([
      {
        key: 'a',
        previous: {
          window: { from: T0 + 300, to: T0 + 900 },
          metric: 130,
          rank: 2,
          change: -10,
          changeRatio: -10 / 130,
        },
      },
    ]);
    expect(await keys('maxItems: 1,', `previous(ago: 1) { ${PREVIOUS} }`)).toMatchObject([
      { previous: { window: { from: T0 + 599, to: T0 + 1199 }, metric: 120, rank: 1 } },
    ]);
  });

  it('keeps the filter and the probe, and ranks among the keys that pass them', async () => {
    const filtered = await keys('filter: { exclude: "[xc]" },', `previous { metric rank }`);
    expect(filtered).toEqual([
      { key: 'a', previous: { metric: 30, rank: 1 } },
      { key: 'b', previous: { metric: 0, rank: null } },
    ]);
    // The probe has no data in the earlier window.
    expect(await keys('probe: "p1",', 'metric previous { metric rank }')).toEqual([
      { key: 'c', metric: 20, previous: { metric: null, rank: null } },
    ]);
  });

  it('works for every type of meter', async () => {
    const of = (index: number) => keys(`meter: ${index}, maxItems: 1,`, `previous { ${PREVIOUS} }`);
    expect(await of(4)).toMatchObject([{ previous: { metric: 30, rank: 3, change: 90 } }]);
    // (10 + 5) ÷ 2 · 2; the largest of 10 and 5, times two.
    expect(await of(5)).toMatchObject([{ previous: { metric: 15, rank: 3, change: 105 } }]);
    expect(await of(11)).toMatchObject([{ previous: { metric: 20, rank: 3, change: 100 } }]);
  });

  it.each([0, -1])('%d seconds ago is BAD_USER_INPUT on its field', async (ago) => {
    const { data, errors } = await lab.graphql(
      `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { topper(maxItems: 1, ${WINDOW}) {
        keys { key previous(ago: ${ago}) { metric } } } } } }`,
    );
    expect(data).toEqual({
      context: { counterGroup: { topper: { keys: [{ key: 'a', previous: null }] } } },
    });
    expect(errors).toMatchObject([
      {
        path: ['context', 'counterGroup', 'topper', 'keys', 0, 'previous'],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
});

const DRILLED = `counterGroup { guid } meter { index } window { from to } samplingRate total others
  othersMatching keyCount keys { rank key metric share }`;

describe('drilldown (decision 31)', () => {
  const drill = async (args: string, selection = DRILLED, outer = 'maxItems: 1,') => {
    const [first] = await keys(outer, `drilldown(${args}) { ${selection} }`);
    return first?.['drilldown'];
  };

  it('lists the keys under the key, and their total', async () => {
    expect(await drill(`crosskey: "${CROSS}"`)).toEqual({
      counterGroup: { guid: CROSS },
      meter: { index: 0 },
      window: { from: T0 + 600, to: T0 + 1200 },
      samplingRate: 5,
      total: 70,
      others: 0,
      othersMatching: 0,
      keyCount: 3,
      keys: [
        { rank: 1, key: 'a\\http', metric: 40, share: 40 / 70 },
        { rank: 2, key: 'a\\dns', metric: 20, share: 20 / 70 },
        { rank: 3, key: 'a\\ssh', metric: 10, share: 10 / 70 },
      ],
    });
  });

  it('lists as many keys as requested, of any meter', async () => {
    expect(await drill(`crosskey: "${CROSS}", maxItems: 1, meter: 4`)).toMatchObject({
      meter: { index: 4 },
      total: 70,
      others: 30,
      othersMatching: 30,
      keyCount: 3,
      keys: [{ key: 'a\\http', metric: 40 }],
    });
    const many = Array.from({ length: 11 }, (_, i) => line(CROSS, `b\\n${i}`, 660, 1));
    await lab.importSamples(many);
    const b = await drill(
      `crosskey: "${CROSS}"`,
      'keyCount keys { key }',
      'filter: { keys: "b" },',
    );
    expect(b).toMatchObject({ keyCount: 12 });
    expect(b).toHaveProperty('keys.length', 10);
  });

  it('finds the key in every position, and counts a cross-key once', async () => {
    expect(await drill(`crosskey: "${PAIRS}"`)).toMatchObject({
      total: 7,
      others: 0,
      keyCount: 3,
      keys: [
        { key: 'a\\http\\a', metric: 4 },
        { key: 'b\\http\\a', metric: 2 },
        { key: 'a\\http\\b', metric: 1 },
      ],
    });
  });

  it('keeps the probe, not the filter', async () => {
    const selection = 'total keys { key metric }';
    const outer = 'probe: "p1", filter: { match: "c" },';
    expect(await drill(`crosskey: "${CROSS}"`, selection, outer)).toEqual({ total: 0, keys: [] });
    const filtered = 'filter: { match: "^a$" },';
    expect(await drill(`crosskey: "${CROSS}"`, 'total', filtered)).toEqual({ total: 70 });
    await lab.importSamples([
      line(CROSS, 'c\\dns', 660, 6, { probe: 'p1' }),
      line(CROSS, 'c\\dns', 660, 9),
    ]);
    expect(await drill(`crosskey: "${CROSS}"`, selection, outer)).toEqual({
      total: 30,
      keys: [{ key: 'c\\dns', metric: 30 }],
    });
  });

  it('ranks previous windows among its own keys only', async () => {
    const selection = `keys { key previous { ${PREVIOUS} } }`;
    const before = { from: T0, to: T0 + 600 };
    expect(await drill(`crosskey: "${CROSS}"`, selection)).toEqual({
      keys: [
        {
          key: 'a\\http',
          previous: { window: before, metric: 0, rank: null, change: 40, changeRatio: null },
        },
        {
          key: 'a\\dns',
          previous: { window: before, metric: 15, rank: 2, change: 5, changeRatio: 5 / 15 },
        },
        {
          key: 'a\\ssh',
          previous: { window: before, metric: 35, rank: 1, change: -25, changeRatio: -25 / 35 },
        },
      ],
    });
  });

  it('has series, peaks and percentiles of its keys', async () => {
    const selection = `series { at total others } keys { key peak percentiles(ranks: [50]) { value }
      series { at value } }`;
    expect(await drill(`crosskey: "${CROSS}", maxItems: 1`, selection)).toEqual({
      series: [
        { at: T0 + 600, total: 40, others: 0 },
        { at: T0 + 900, total: 30, others: 30 },
      ],
      keys: [
        {
          key: 'a\\http',
          peak: 40,
          percentiles: [{ value: 0 }],
          series: [
            { at: T0 + 600, value: 40 },
            { at: T0 + 900, value: 0 },
          ],
        },
      ],
    });
  });

  it.each([
    ['a group that is not cross-key', APPS],
    ['the group itself', HOSTS],
    ['a cross-key group of other parts', ALIEN],
    ['a group that does not exist', guidOf(99)],
  ])('through %s is BAD_USER_INPUT on its field', async (_, guid) => {
    const { data, errors } = await lab.graphql(
      `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { topper(maxItems: 1, ${WINDOW}) {
        keys { key drilldown(crosskey: "${guid}") { total } } } } } }`,
    );
    expect(data).toEqual({
      context: { counterGroup: { topper: { keys: [{ key: 'a', drilldown: null }] } } },
    });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it('of a missing meter, or of too few or too many keys, is BAD_USER_INPUT', async () => {
    for (const args of ['meter: 99', 'maxItems: 0', 'maxItems: 10001']) {
      const { data, errors } = await lab.graphql(
        `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { topper(maxItems: 1, ${WINDOW}) {
          keys { key drilldown(crosskey: "${CROSS}", ${args}) { total } } } } } }`,
      );
      expect(data).toMatchObject({
        context: { counterGroup: { topper: { keys: [{ key: 'a' }] } } },
      });
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });
});

describe('drilldown of a key that no topper lists', () => {
  const ofKey = (key: string, args: string, selection = DRILLED) =>
    lab.graphql<{ context: { counterGroup: { key: { drilldown: unknown } | null } } }>(
      `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { key(key: "${key}") {
        drilldown(${args}) { ${selection} } } } } }`,
    );
  const drill = async (key: string, args: string, selection = DRILLED) => {
    const { data } = await ofKey(key, args, selection);
    return data?.context.counterGroup.key?.drilldown;
  };

  it.each(['', 'maxItems: 1, meter: 4,', 'probe: "p1",', 'meter: 11,'])(
    'is the one of the topper with the same arguments: %s',
    async (args) => {
      const probe = args.startsWith('probe') ? args : '';
      const own = args.startsWith('probe') ? '' : args;
      const named = `crosskey: "${CROSS}", ${own}`;
      const [first] = await keys(probe, `drilldown(${named}) { ${DRILLED} }`);
      const key = first?.key ?? '';
      expect(await drill(key, `${named} ${probe} ${WINDOW}`)).toEqual(first?.['drilldown']);
    },
  );

  it('has the window of the data of the pairs, and takes dates in a time zone', async () => {
    const window = (given: string) => `crosskey: "${CROSS}", ${given}`;
    expect(
      await drill('b', window('window: { preset: ALL_AVAILABLE }'), 'window { from to }'),
    ).toEqual({ window: { from: T0, to: T0 + 960 } });
    const dates = '{ dates: { from: "2024-07-15T02:10:00", to: "2024-07-15T02:20:00" } }';
    expect(
      await drill('a', window(`window: ${dates}, timeZone: "Europe/Berlin"`), 'total'),
    ).toEqual({ total: 70 });
  });

  it('needs no cross-key group where there is only one, nor data of its own then', async () => {
    const crosskey = { parentguid: guidOf(6), crosskeyguid_1: guidOf(6) };
    await lab.apply({
      context: 'lab',
      groups: [group(6), group(7, { key_kind: 'crosskey', crosskey })],
    });
    await lab.importSamples([
      { group: guidOf(6), key: 'x', ts: T0 + 600, values: { 0: 0 } },
      { group: guidOf(7), key: 'x\\y', ts: T0 + 7200, values: { 0: 3 } },
    ]);
    const { context } = await lab.data<{ context: { counterGroup: unknown } }>(
      `{ context(name: "lab") { counterGroup(guid: "${guidOf(6)}") { key(key: "x") {
        drilldown(window: { preset: ALL_AVAILABLE }) { counterGroup { guid } total } } } } }`,
    );
    expect(context.counterGroup).toEqual({
      key: { drilldown: { counterGroup: { guid: guidOf(7) }, total: 3 } },
    });
  });

  it.each([
    ['meter: 0'],
    [`crosskey: "${ALIEN}"`],
    [`crosskey: "${CROSS}", meter: 99`],
    [`crosskey: "${CROSS}", maxItems: 0`],
    [`crosskey: "${CROSS}", timeZone: "Mars"`],
    [`crosskey: "${CROSS}", probe: "none"`],
  ])('of wrong arguments is null with an error: %s', async (args) => {
    const { data, errors } = await ofKey('a', args, 'total');
    expect(data?.context.counterGroup.key).toEqual({ drilldown: null });
    expect(errors).toMatchObject([{ path: ['context', 'counterGroup', 'key', 'drilldown'] }]);
  });
});
