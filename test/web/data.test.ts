import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { DEFAULT_UNITS, parseAddress } from '../../web/src/address/address.ts';
import { archivedSlices, slicesVariables } from '../../web/src/data/archived-slices.ts';
import { peakFigure, percentileFigure } from '../../web/src/data/bucket-figures.ts';
import { chartData, coveredPart, stacked, stepAt } from '../../web/src/data/chart-data.ts';
import { type ContextChoice, withSpans } from '../../web/src/data/choices.ts';
import { chooseStep } from '../../web/src/data/choose-step.ts';
import { filterInput, windowSeconds } from '../../web/src/data/questions.ts';
import { explainRefusal } from '../../web/src/data/refusal.ts';
import { shareTotal } from '../../web/src/data/share-total.ts';
import type { ShownToppers } from '../../web/src/data/shown-toppers.ts';

const SIZES = { bucketSize: 60, topperBucketSize: 300 };

describe('the step of a chart', () => {
  it.each([
    [900, 60],
    [7200, 60],
    [7260, null],
    [86_400, null],
    [604_800, 1800],
    [30 * 86_400, 7200],
    [365 * 86_400, 86_400],
  ])('over %i seconds is %s', (seconds, step) => {
    expect(chooseStep(seconds, SIZES)).toBe(step);
  });

  it('is a multiple of the bucket, and gives at most 400 points, or all of two hours', () => {
    const buckets = fc.constantFrom(1, 7, 10, 60, 90, 300, 3600, 86_400);
    const seconds = fc.integer({ min: 1, max: LIMITS.seriesStepSeconds });
    fc.assert(
      fc.property(seconds, buckets, fc.constantFrom(1, 5, 60), (window, bucketSize, factor) => {
        const topperBucketSize = bucketSize * factor;
        const step = chooseStep(window, { bucketSize, topperBucketSize }) ?? topperBucketSize;
        expect(step % bucketSize).toBe(0);
        expect(window / step).toBeLessThanOrEqual(window <= 7200 ? 7200 : 400);
        // The window may begin and end within a step.
        expect(window / step + 2).toBeLessThanOrEqual(LIMITS.seriesPoints);
      }),
    );
  });

  it.each([
    [60 * 86_400, 14_400],
    [472 * 86_400, 172_800],
    [7201, 20],
  ])('over %i seconds of one-second buckets is %i', (seconds, step) => {
    expect(chooseStep(seconds, { bucketSize: 1, topperBucketSize: 1 })).toBe(step);
  });

  it('is the shortest that fits if no usual length is near a multiple of the bucket', () => {
    expect(chooseStep(86_400, { bucketSize: 7, topperBucketSize: 7 })).toBe(217);
    expect(chooseStep(86_400, { bucketSize: 90, topperBucketSize: 90 })).toBe(270);
  });
});

describe('everything of a group', () => {
  const G = '{00000000-0000-4000-8000-000000000001}';
  const ALL = '?window=all&group=00000000-0000-4000-8000-000000000001';
  const DAY = 86_400;
  const context = { name: 'lab', totalWindow: { from: 0, to: 472 * DAY } } as ContextChoice;
  const ofProbe = { subject: { group: G, probe: 'p' }, span: { from: 0, to: 3600 } };
  const ofGroup = { subject: { group: G, probe: null }, span: { from: DAY, to: 2 * DAY } };
  const known = withSpans(context, withSpans(context, null, ofGroup), ofProbe);
  const length = (search: string, choice: ContextChoice | null = known) =>
    windowSeconds(parseAddress(search), choice);

  it('is as long as its data, or those of the chosen probe, once an answer said so', () => {
    expect(length(ALL)).toBe(DAY);
    expect(length(`${ALL}&probe=p`)).toBe(3600);
  });

  it('is at most as long as the data of the context', () => {
    expect(length(ALL, context)).toBe(472 * DAY);
    expect(length('?window=all&group=00000000-0000-4000-8000-000000000002')).toBe(472 * DAY);
    const empty = { subject: ofGroup.subject, span: null };
    expect(length(ALL, withSpans(context, null, empty))).toBe(472 * DAY);
    expect(length(ALL, null)).toBe(30 * DAY);
  });

  it('does not change other windows', () => {
    expect(length(ALL.replace('all', '7d'))).toBe(7 * DAY);
  });
});

describe('the data of a chart', () => {
  const keys = [
    {
      key: 'a',
      label: 'A',
      series: [
        { at: 0, value: 600 },
        { at: 300, value: 300 },
      ],
    },
    { key: 'b', label: 'B', series: [{ at: 300, value: '9007199254740993' }] },
  ];
  const whole = [
    { at: 0, value: 900 },
    { at: 300, value: 900 },
  ];

  const covered = { from: 0, to: 600 };

  it('are rates of a counter, stacked up to the total, each step to its end', () => {
    const { times, lines, others } = chartData(
      { keys: keys.slice(0, 1), whole },
      { kind: 'counter', step: 300, bucketSize: 60, covered },
    );
    expect(times).toEqual([0, 300, 600]);
    expect(stacked([...lines.map(({ values }) => values), others ?? []])).toEqual([
      [2, 1, 1],
      [3, 3, 3],
    ]);
  });

  it('are rates over the part of a step that is in the window', () => {
    const cut = coveredPart({ from: 120, to: 480 }, null);
    const { times, ends, lines, others } = chartData(
      { keys: keys.slice(0, 1), whole },
      { kind: 'counter', step: 300, bucketSize: 60, covered: cut },
    );
    expect([times, ends]).toEqual([
      [120, 300, 480],
      [300, 480],
    ]);
    expect(lines[0]?.values.map((value) => (value ?? 0) * 180)).toEqual([600, 300, 300]);
    expect(others?.map((value) => Math.round(value * 180))).toEqual([300, 600, 600]);
  });

  it('are rates over whole buckets, wherever the window cuts them', () => {
    const ofBuckets = [60, 120, 180].map((at) => ({ at, value: 60 }));
    const { times, lines } = chartData(
      { keys: [{ key: 'a', label: 'A', series: ofBuckets }], whole: null },
      { kind: 'counter', step: 60, bucketSize: 60, covered: { from: 1, to: 181 } },
    );
    expect(times).toEqual([60, 120, 180, 240]);
    expect(lines[0]?.values).toEqual([1, 1, 1, 1]);
  });

  it.each([
    ['counter', [240, 600, 960], [720 / 360, 480 / 360, 480 / 360]],
    ['mean', [240, 300, 600, 900, 960], [420, 300, 300, 180, 180]],
  ] as const)('of a %s have no spikes at the ends where values add up', (kind, times, values) => {
    const steps = [420, 300, 300, 180].map((value, index) => ({ at: 300 * index, value }));
    const chart = chartData(
      { keys: [{ key: 'a', label: 'A', series: steps }], whole: null },
      { kind, step: 300, bucketSize: 60, covered: { from: 240, to: 960 } },
    );
    expect(chart.times).toEqual(times);
    expect(chart.lines[0]?.values).toEqual(values);
  });

  it('are zero, or nothing, in steps that have no readings', () => {
    const gap = [0, 600].map((at) => ({ at, value: 300 }));
    const valuesOf = (kind: 'counter' | 'mean') =>
      chartData(
        { keys: [{ key: 'a', label: 'A', series: gap }], whole: null },
        { kind, step: 300, bucketSize: 60, covered: { from: 0, to: 900 } },
      ).lines[0]?.values;
    expect(valuesOf('counter')).toEqual([1, 0, 1, 1]);
    expect(valuesOf('mean')).toEqual([300, null, 300, 300]);
  });

  it('are rates over the part for which there are data', () => {
    expect(coveredPart({ from: 0, to: 900 }, { from: 180, to: 420 })).toEqual({
      from: 180,
      to: 420,
    });
  });

  it('of a rate, which the server divides by whole steps, are over that part as well', () => {
    const { lines } = chartData(
      { keys: keys.slice(0, 1), whole },
      { kind: 'rate', step: 300, bucketSize: 60, covered: { from: 240, to: 600 } },
    );
    expect(lines[0]?.values).toEqual([3000, 300, 300]);
  });

  it('of a gauge are lines with gaps, and no stack', () => {
    const { lines, others } = chartData(
      { keys, whole },
      { kind: 'mean', step: 300, bucketSize: 60, covered },
    );
    expect(others).toBeNull();
    expect(lines.map(({ values }) => values[0])).toEqual([600, null]);
  });
});

describe('a figure from topper buckets', () => {
  const terms = (kind: 'counter' | 'rate' | 'mean') => ({
    kind,
    measure: { kind: 'other', name: 'packets' } as const,
    units: DEFAULT_UNITS,
    topperBucketSize: 300,
  });
  const hour = { from: 0, to: 3600 };

  it.each([
    ['a window of whole buckets', { from: 300, to: 900 }, 600, 1, '2'],
    ['a window of a single bucket', { from: 300, to: 600 }, 600, 2, null],
    ['a window that cuts both its buckets', { from: 150, to: 750 }, 600, 2, null],
    ['a peak in a bucket that is cut', { from: 0, to: 660 }, 600, 2.5, null],
    ['a peak that is the average', { from: 0, to: 600 }, 600, 2, '2'],
  ])('%s: a peak is never below the average', (_, covered, peak, averageRate, expected) => {
    const { quantity, why } = peakFigure({ peak, averageRate }, terms('counter'), covered);
    expect(quantity?.[0] ?? null).toBe(expected);
    expect(why === null).toBe(expected !== null);
  });

  it('of a rate is rounded, but a peak is not left out for that', () => {
    const { quantity } = peakFigure({ peak: 10, averageRate: 10.4 }, terms('rate'), hour);
    expect(quantity?.[0]).toBe('10');
  });

  it('is a percentile if there are two whole ones, and always for a gauge', () => {
    const short = { from: 10, to: 890 };
    expect(percentileFigure(600, terms('counter'), short)).toEqual({
      quantity: null,
      why: 'The data of this window cover fewer than two whole buckets of 5 minutes',
    });
    expect(percentileFigure(600, terms('counter'), hour).quantity?.[0]).toBe('2');
    expect(percentileFigure(21, terms('mean'), short).quantity?.[0]).toBe('21');
  });
});

describe('what a chart shows under the pointer', () => {
  const times = [0, 300, 600, 900];

  it.each([
    [0, 0],
    [151, 0],
    [299, 0],
    [299.999, 1],
    [300, 1],
    [899, 2],
    [900, 2],
    [-1, null],
    [901, null],
  ])('at second %d is the step at that time: %s', (at, step) => {
    expect(stepAt(times, at)).toBe(step);
  });

  it('is nothing if there are no steps', () => {
    expect(stepAt([], 0)).toBeNull();
  });
});

describe('what the server refuses', () => {
  const filters = [{ kind: 'except', text: '([' }] as const;

  it.each([
    ['exclude must be an RE2 pattern, got "(["', 'Not pattern must be an RE2 pattern, got "(["'],
    ['match must be an RE2 pattern, got "(["', null],
    ['Database is not reachable', null],
  ])('%s is reported by the name of the field: %s', (message, why) => {
    expect(explainRefusal(message, { filters })).toEqual(
      why && { of: 'filter', why, kind: 'except', text: '([' },
    );
  });

  it('of an address is recognized', () => {
    expect(explainRefusal('Invalid meter - 77', { filters: [] })).toEqual({ of: 'meter' });
    expect(explainRefusal('Invalid probe - xx', { filters })).toEqual({ of: 'probe' });
  });
});

describe('archived slices', () => {
  const slice = (name: string, status: string, from: number) => ({
    name,
    status,
    timeInterval: { from, to: from + 10 },
  });
  const slices = [
    slice('a', 'archived', 0),
    slice('b', 'available', 10),
    slice('c', 'archived', 20),
  ];
  const names = (...[window, available]: [Span, Span | null]) =>
    archivedSlices(slices, window, available).map(({ name }) => name);
  type Span = { from: number; to: number };

  it('are named if the window has part of them, or if there is nothing else', () => {
    expect(names({ from: 9, to: 11 }, { from: 10, to: 20 })).toEqual(['a']);
    expect(names({ from: 10, to: 20 }, { from: 10, to: 20 })).toEqual([]);
    expect(names({ from: 10, to: 20 }, null)).toEqual(['a', 'c']);
  });

  it('are requested if the view may lack their data', () => {
    const full = { totalWindow: { from: 0, to: 9 } } as unknown as ContextChoice;
    const empty = { totalWindow: null } as unknown as ContextChoice;
    const recent = parseAddress('?window=1h');
    const chosen = parseAddress('?window=1-2');
    const within = { from: 1, to: 2 };
    expect(slicesVariables(recent, full)).toEqual({ withSlices: false, within: null });
    expect(slicesVariables(recent, empty)).toEqual({ withSlices: true, within: null });
    expect(slicesVariables(chosen, full)).toEqual({ withSlices: true, within });
    expect(slicesVariables(chosen, empty)).toEqual({ withSlices: true, within: null });
  });
});

describe('a filter', () => {
  it('is requested in the terms of the schema', () => {
    expect(filterInput([], [])).toBeNull();
    const filters = [
      { kind: 'cidr', text: '10.0.0.0/8' },
      { kind: 'find', text: 'x' },
      { kind: 'cidr', text: '::1' },
      { kind: 'outside', text: '10.0.0.1' },
      { kind: 'only', text: 'a' },
    ] as const;
    expect(filterInput(filters, ['k'])).toEqual({
      cidr: ['10.0.0.0/8', '::1'],
      excludeCidr: ['10.0.0.1'],
      search: 'x',
      keys: ['a'],
      excludeKeys: ['k'],
    });
  });
});

describe('the total that the share of a key is of', () => {
  const window = { from: 0, to: 600 };
  const table = {
    group: { guid: 'G' },
    meter: { index: 0 },
    total: 80,
    asked: { hidden: ['c', 'none'], probe: null },
    table: { window },
  } as unknown as ShownToppers;
  const ofKey = { asked: { group: 'G', meter: 0, probe: null, step: null }, window, total: 100 };
  const total = (
    given: Partial<typeof ofKey>,
    { hidden = ['none', 'c'], shown = table as ShownToppers | null } = {},
  ) => shareTotal({ address: { key: 'k', hidden }, shownKey: { ...ofKey, ...given }, shown });

  it('is that of its own answer, whatever the table shows', () => {
    expect(total({ window: { from: 0, to: 60 } }, { hidden: [] })).toBe(100);
    expect(total({}, { hidden: [], shown: null })).toBe(100);
  });

  it('is that of the table without the hidden keys', () => {
    expect(total({})).toBe(80);
  });

  it('is unknown while the table, or the key, answers another question', () => {
    expect(total({ window: { from: 0, to: 60 } })).toBeNull();
    expect(total({ asked: { ...ofKey.asked, group: 'H' } })).toBeNull();
    expect(total({ asked: { ...ofKey.asked, meter: 1 } })).toBeNull();
    expect(total({}, { hidden: ['c'] })).toBeNull();
    expect(total({}, { hidden: ['c', 'none', 'd'] })).toBeNull();
    expect(total({}, { shown: null })).toBeNull();
    expect(total({}, { shown: { ...table, total: null } })).toBeNull();
    const asked = { ...table.asked, probe: 'p' };
    expect(total({}, { shown: { ...table, asked } })).toBeNull();
  });

  it('does not exist if the key itself is hidden', () => {
    expect(total({}, { hidden: ['c', 'none', 'k'] })).toBeNull();
  });
});
