import { describe, expect, it } from 'vitest';
import type { GraphQLProblem } from '../../web/src/api/fault.ts';
import { faultAt, faultElsewhere } from '../../web/src/api/part-faults.ts';
import { type KeyAnswer, shownKey } from '../../web/src/data/shown-key.ts';
import { shownToppers, type TopAnswer } from '../../web/src/data/shown-toppers.ts';

const GROUP = '{00000000-0000-4000-8000-000000000001}';
const PAIRS = '{00000000-0000-4000-8000-000000000002}';
const PORTS = '{00000000-0000-4000-8000-000000000003}';

const problem = (...path: (string | number)[]): GraphQLProblem => ({
  message: `no ${path.at(-1)}`,
  path: ['context', 'counterGroup', ...path],
  extensions: { code: 'TIMEOUT' },
});

describe('the fault of a part of an answer', () => {
  const problems = [problem('chart', 'keys', 3, 'series'), problem('hidden')];

  it('is found by its path, also if only something within the part failed', () => {
    const chart = ['context', 'counterGroup', 'chart'];
    expect(faultAt(problems, chart)).toMatchObject({ kind: 'timeout', message: 'no series' });
    expect(faultAt(problems, [...chart, 'series'])).toBeNull();
    expect(faultAt([{ message: 'somewhere' }], chart)).toBeNull();
  });

  it('is found elsewhere if it is not in any of the parts', () => {
    const parts = [['context', 'counterGroup', 'chart']];
    expect(faultElsewhere(problems, parts)?.message).toBe('no hidden');
    expect(faultElsewhere(problems.slice(0, 1), parts)).toBeNull();
    expect(faultElsewhere([{ message: 'somewhere' }], parts)?.message).toBe('somewhere');
  });
});

const counterGroup = (guid: string, type: string) => ({
  guid,
  bucketSize: 60,
  topperBucketSize: 300,
  crosskey: null,
  meters: [{ index: 0, name: 'Total', units: 'bytes', type }],
});

describe('a top answer of which a part failed', () => {
  const window = { from: 600, to: 1200 };
  const key = { key: 'a', label: 'A', metric: 40, volume: 40, series: [{ at: 0, value: 40 }] };
  const hiddenKey = { key: 'h', label: 'H', metric: 30 };
  const table = { window, availableWindow: window, total: 100, othersMatching: 30, keys: [key] };
  const matching = { series: [{ at: 0, value: 70 }] };
  const parts = { table, chart: { keys: [key], matching }, hidden: { keys: [hiddenKey] } };

  const shownOf = (failed: object, problems: GraphQLProblem[], type = 'VT_COUNTER') => {
    const context = {
      totalWindow: window,
      slices: [],
      counterGroups: [counterGroup(GROUP, type)],
      counterGroup: { guid: GROUP, ...parts, ...failed },
    };
    const answer = { viewer: { contexts: [] }, context } as unknown as TopAnswer;
    const variables = { meter: 0 } as Parameters<typeof shownToppers>[1];
    return shownToppers(answer, variables, problems);
  };

  it('has the total without the hidden keys if none did', () => {
    const shown = shownOf({}, []);
    expect([shown?.total, shown?.others]).toEqual([70, 30]);
    expect(shown?.faults).toEqual({ chart: null, rest: null });
  });

  it('says why there is no chart', () => {
    const shown = shownOf({ chart: null }, [problem('chart')]);
    expect(shown?.faults).toMatchObject({ chart: { message: 'no chart' }, rest: null });
    expect(shown?.total).toBe(70);
  });

  it('has no total without the hidden keys, but others and a chart, which never had them', () => {
    const shown = shownOf({ hidden: null }, [problem('hidden')]);
    expect([shown?.total, shown?.others]).toEqual([null, 30]);
    expect(shown?.faults).toMatchObject({ chart: null, rest: { message: 'no hidden' } });
  });

  it('has everything else without the hidden keys of a gauge, whose values do not add up', () => {
    const shown = shownOf({ hidden: null }, [problem('hidden')], 'VT_GAUGE');
    expect(shown?.total).toBe(100);
    expect(shown?.faults).toMatchObject({ chart: null, rest: { message: 'no hidden' } });
  });

  it('has no fault if the earlier window would begin before 1970: nothing is stored then', () => {
    const long = { table: { ...table, window: { from: 600, to: 1300 } } };
    const previous = problem('table', 'keys', 0, 'previous');
    expect(shownOf(long, [previous])?.faults.rest).toBeNull();
    expect(shownOf(long, [previous, problem('table', 'keys', 0, 'peak')])?.faults.rest).not.toBe(
      null,
    );
  });

  it('says that something else is missing', () => {
    const shown = shownOf({}, [problem('table', 'keys', 0, 'previous')]);
    expect(shown?.faults).toMatchObject({ chart: null, rest: { message: 'no previous' } });
  });
});

describe('a key of which a part failed', () => {
  const drilldown = { counterGroup: { guid: PAIRS }, keys: [] };
  const own = {
    timeInterval: null,
    known: { key: 'k', label: 'k', readable: 'k', description: null, attributes: null },
    topper: {
      window: { from: 600, to: 1200 },
      total: 100,
      keys: [{ metric: 40, drilldowns: [drilldown, null] }],
    },
  };

  const shownOf = (failed: object, problems: GraphQLProblem[]) => {
    const answer = { context: { counterGroup: { ...own, ...failed } } } as unknown as KeyAnswer;
    const by = [PAIRS, PORTS].map((crosskey) => ({ crosskey }));
    const variables = { by } as unknown as Parameters<typeof shownKey>[1]['variables'];
    return shownKey(answer, { rawKey: 'k', variables, problems });
  };

  it('says by which group it could not be drilled down', () => {
    const shown = shownOf({}, [problem('topper', 'keys', 0, 'drilldowns', 1)]);
    expect(shown?.drilldowns).toEqual([drilldown]);
    expect([...(shown?.faults.drilldowns ?? [])]).toMatchObject([[PORTS, { message: 'no 1' }]]);
    expect(shown?.faults.rest).toBeNull();
  });

  it('has no fault if the earlier window would begin before 1970', () => {
    const previous = problem('topper', 'keys', 0, 'previous');
    const long = { topper: { ...own.topper, window: { from: 600, to: 1300 } } };
    expect(shownOf(long, [previous])?.faults.rest).toBeNull();
  });

  it.each([
    ['figures', [problem('topper')]],
    ['chart', [problem('topper', 'keys', 0, 'series')]],
    ['known', [problem('known')]],
    ['within', [problem('within', 'keys')]],
    ['rest', [problem('topper', 'keys', 0, 'previous')]],
  ] as const)('says what is missing: %s', (part, problems) => {
    const shown = shownOf(part === 'figures' ? { topper: null } : {}, [...problems]);
    const { drilldowns, ...faults } = shown?.faults ?? { drilldowns: new Map() };
    expect(drilldowns.size).toBe(0);
    const found = Object.entries(faults).flatMap(([name, fault]) => (fault ? name : []));
    expect(found).toEqual([part]);
  });
});
