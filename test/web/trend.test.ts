import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../web/src/address/address.ts';
import { formatStep, parseStep } from '../../web/src/address/step.ts';
import type { ContextChoice } from '../../web/src/data/choices.ts';
import { explainRefusal } from '../../web/src/data/refusal.ts';
import { chooseEvery, offeredSteps } from '../../web/src/data/trend/choose-every.ts';
import { heatLevel, LEVELS, largestShare } from '../../web/src/data/trend/heat-levels.ts';
import { type AnsweredStep, trendRows } from '../../web/src/data/trend/shown-trend.ts';
import { stepTarget } from '../../web/src/data/trend/step-target.ts';
import { timeTicks } from '../../web/src/data/trend/time-ticks.ts';
import { trendVariables } from '../../web/src/data/trend/trend-question.ts';
import { trendCsv } from '../../web/src/export/trend-csv.ts';
import { momentsIn } from '../../web/src/format/moment.ts';

const SIZES = { bucketSize: 60, topperBucketSize: 300 };

const HOUR = 3600;
const DAY = 24 * HOUR;

describe('the steps of a trend', () => {
  it.each([
    [900, 60],
    [HOUR, 60],
    [6000, 60],
    [6001, 120],
    [6 * HOUR, 300],
    [DAY, 900],
    [7 * DAY, 2 * HOUR],
    [30 * DAY, 8 * HOUR],
    [365 * DAY, 7 * DAY],
  ])('of %i seconds are %i long', (seconds, every) => {
    expect(chooseEvery(seconds, SIZES)).toBe(every);
  });

  it('are whole buckets, and at most a hundred', () => {
    const buckets = fc.constantFrom(1, 30, 60, 300, 3600, 7);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), buckets, (seconds, bucketSize) => {
        const every = chooseEvery(seconds, { bucketSize, topperBucketSize: 5 * bucketSize });
        expect(every % bucketSize).toBe(0);
        expect(seconds / every).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('can be chosen among those that the server accepts', () => {
    expect(offeredSteps(DAY, SIZES)).toEqual([
      120,
      300,
      600,
      900,
      1200,
      1800,
      ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR),
    ]);
  });

  it.each([
    ['30s', 30],
    ['1m', 60],
    ['90s', 90],
    ['15m', 900],
    ['1h', HOUR],
    ['24h', DAY],
    ['7d', 7 * DAY],
  ])('are written as %s: %i seconds', (text, seconds) => {
    expect(parseStep(text)).toBe(seconds);
    expect(formatStep(seconds)).toBe(text);
  });

  it.each(['', '0m', '15', 'm', '-1h', '1w', '999999d'])('are not "%s"', (text) => {
    expect(parseStep(text)).toBeNull();
  });

  it('are requested as the address says, or else as many as there is room for', () => {
    const guid = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
    const choice = {
      name: 'lab',
      totalWindow: { from: 0, to: 30 * DAY },
      counterGroups: [{ guid, ...SIZES, meters: [] }],
    } as unknown as ContextChoice;
    const asked = (more: string) =>
      trendVariables(parseAddress(`?context=lab&group=${guid}&window=24h${more}`), choice);
    expect(asked('')).toMatchObject({ every: 900, items: 10, filter: null });
    expect(asked('&step=1h&top=20&find=x&hide=k')).toMatchObject({
      every: HOUR,
      items: 20,
      filter: { search: 'x', excludeKeys: ['k'] },
    });
    expect(asked('&top=100').items).toBe(20);
    expect(asked('&window=all').every).toBe(900);
    expect(asked('&prefix=24&hide=10.0.0.0/24').filter).toBeNull();
  });

  it('that the server refuses are reported in its words', () => {
    const message = 'every must be a positive multiple of the bucket size, 60, got 90';
    expect(explainRefusal(message, { filters: [] })).toEqual({
      of: 'step',
      why: 'must be a positive multiple of the bucket size, 60, got 90',
    });
  });
});

const key = (rank: number, name: string, metric: number) => ({
  rank,
  key: name,
  label: name.toUpperCase(),
  readable: name,
  metric,
});

const STEPS: readonly AnsweredStep[] = [
  { window: { from: 0, to: 300 }, total: 20, keys: [key(1, 'a', 10), key(2, 'b', 5)] },
  { window: { from: 300, to: 600 }, total: 0, keys: [] },
  { window: { from: 600, to: 700 }, total: 40, keys: [key(1, 'b', 30), key(2, 'c', 4)] },
];

const TERMS = { group: { crosskey: null }, items: 2, kind: 'counter', ranked: [] } as const;

describe('the keys of a trend', () => {
  const rows = trendRows(STEPS, TERMS);

  it('are all that any step lists, first those ranked highest over all steps', () => {
    expect(rows.map((row) => [row.key, row.listed, row.bestRank, row.meanRank, row.label])).toEqual(
      [
        ['b', 2, 1, 1.5, 'B'],
        ['a', 1, 1, 1, 'A'],
        ['c', 1, 2, 2, 'C'],
      ],
    );
  });

  it('have the order of the whole window, as far as it is known, and what they have in it', () => {
    const ranked = [
      { key: 'c', metric: 50 },
      { key: 'never listed', metric: 45 },
      { key: 'a', metric: 40 },
    ];
    expect(trendRows(STEPS, { ...TERMS, ranked }).map((row) => [row.key, row.metric])).toEqual([
      ['c', 50],
      ['a', 40],
      ['b', null],
    ]);
  });

  it('have their rank and their share in each step that lists them', () => {
    expect(rows[0]?.cells).toEqual([
      { rank: 2, metric: 5, share: 0.25 },
      null,
      { rank: 1, metric: 30, share: 0.75 },
    ]);
    expect(largestShare(rows)).toBe(0.75);
  });

  it('have no shares if values do not add up', () => {
    const [first] = trendRows(STEPS, { ...TERMS, kind: 'mean' });
    expect(first?.cells[0]?.share).toBeNull();
  });

  it('have their readable key beside a label that is not unique', () => {
    const same = STEPS.map((step) => ({
      ...step,
      keys: step.keys.map((each) => ({ ...each, label: 'host' })),
    }));
    expect(trendRows(same, TERMS).map(({ label, name }) => [label, name])).toEqual([
      ['host', 'host (b)'],
      ['host', 'host (a)'],
      ['host', 'host (c)'],
    ]);
  });

  it('lead to the key among the top keys of the step', () => {
    expect(stepTarget({ from: 600, to: 700 }, { key: 'b' })).toMatchObject({
      view: 'top',
      window: { kind: 'interval', from: 600, to: 700 },
      key: 'b',
    });
  });

  it('are saved step by step, by rank', () => {
    const shown = {
      group: { name: 'Hosts' },
      meter: { name: 'Bytes', units: 'bytes' },
      rows,
      steps: STEPS.map(({ window, total }) => ({ ...window, total })),
    } as unknown as Parameters<typeof trendCsv>[0]['shown'];
    const [head, ...lines] = trendCsv({ shown, context: 'lab' }).trimEnd().split('\r\n');
    expect(head).toBe(
      'from,to,rank,key,readable,label,metric,share,step_total,context,group,meter,units',
    );
    const span = '1970-01-01T00:00:00.000Z,1970-01-01T00:05:00.000Z';
    expect(lines.slice(0, 2)).toEqual([
      `${span},1,a,a,A,10,0.5,20,lab,Hosts,Bytes,bytes`,
      `${span},2,b,b,B,5,0.25,20,lab,Hosts,Bytes,bytes`,
    ]);
    expect(lines).toHaveLength(4);
  });
});

describe('the colours of a trend', () => {
  const cell = (rank: number, share: number | null = null) => ({ rank, metric: 1, share });

  it.each([
    [10, [0, 1, 4, 9]],
    [20, [0, 0, 2, 4]],
    [3, [0, 3, 9, 9]],
  ])('of the top %i are strongest for the first rank', (items, levels) => {
    const scale = { of: 'rank', items, largest: 1 } as const;
    expect([1, 2, 5, 10].map((rank) => heatLevel(cell(rank), scale))).toEqual(levels);
  });

  it.each([
    [0.4, 0],
    [0.38, 0],
    [0.2, 5],
    [0.001, 9],
    [0, 9],
    [null, 9],
  ])('for a share of %s, if the largest is 0.4, are of level %i', (share, level) => {
    expect(heatLevel(cell(1, share), { of: 'share', items: 10, largest: 0.4 })).toBe(level);
  });

  it('are always of an existing level', () => {
    const ranks = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(
        ranks,
        ranks,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (rank, items, share) => {
          for (const of of ['rank', 'share'] as const) {
            const level = heatLevel(cell(rank, share), { of, items, largest: 1 });
            expect(level).toBeGreaterThanOrEqual(0);
            expect(level).toBeLessThan(LEVELS);
          }
        },
      ),
    );
  });
});

describe('the times below a trend', () => {
  const ticksOf = (from: number, count: number, every: number, zone = 'UTC', apart = 4) =>
    timeTicks({
      starts: Array.from({ length: count }, (_, i) => from + i * every),
      every,
      apart,
      field: momentsIn(zone).field,
    }).map(({ column, clock, day }) => [column, `${clock} ${day}`.trim()]);

  it('are round, and name each day once', () => {
    expect(ticksOf(22 * HOUR, 16, 900)).toEqual([
      [0, '22:00 1 Jan'],
      [4, '23:00'],
      [8, '00:00 2 Jan'],
      [12, '01:00'],
    ]);
  });

  it('are those of whole steps', () => {
    expect(ticksOf(0, 31, 120, 'UTC', 6)).toEqual([
      [0, '00:00 1 Jan'],
      [15, '00:30'],
      [30, '01:00'],
    ]);
  });

  it('are round on the clocks of the zone', () => {
    expect(ticksOf(0, 8, HOUR, 'Asia/Kolkata', 2)).toEqual([
      [1, '06:30 1 Jan'],
      [3, '08:30'],
      [5, '10:30'],
      [7, '12:30'],
    ]);
  });

  it('are days if steps are long', () => {
    expect(ticksOf(0, 21, DAY, 'Europe/Berlin', 5)).toEqual([
      [0, '1 Jan'],
      [7, '8 Jan'],
      [14, '15 Jan'],
    ]);
  });
});
