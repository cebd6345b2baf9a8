import { describe, expect, it } from 'vitest';
import { DEFAULT_UNITS } from '../../web/src/address/address.ts';
import type { ContextChoice } from '../../web/src/data/choices.ts';
import { comparison, earlierTimes } from '../../web/src/data/overview/compared-times.ts';
import { ageText, exporterFaults } from '../../web/src/data/overview/context-status.ts';
import { cardsOf, trafficOf } from '../../web/src/data/overview/overview-question.ts';
import { busiestStep } from '../../web/src/data/overview/shown-overview.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
const APPS = '{C51B48D4-7876-479E-B0D9-BD9EFF03CE2E}';
const AGGREGATES = '{393B5EBC-AB41-4387-8F31-8077DB917336}';
const HOUR = 3600;
const DAY = 24 * HOUR;

const meter = (index: number, type = 'VT_COUNTER') => ({ index, type, name: `m${index}` });

const group = (guid: string, meters = [meter(0), meter(1), meter(2)], keyKind = 'IP') => ({
  guid,
  name: guid,
  keyKind,
  meters,
});

const context = (...counterGroups: readonly object[]) =>
  ({ name: 'lab', counterGroups }) as unknown as ContextChoice;

describe('the traffic of a context', () => {
  it.each([
    ['flows, exactly', [group(HOSTS), group(AGGREGATES)], ['flows', AGGREGATES, 'TOTALBW']],
    ['the hosts that are seen, summed', [group(HOSTS)], ['hosts', HOSTS, null]],
    ['a group without directions', [group(HOSTS, [meter(0)])], ['group', HOSTS, null]],
    [
      'the first group that adds up',
      [group('a', [meter(0, 'VT_GAUGE')]), group('b')],
      ['group', 'b', null],
    ],
    ['keys before pairs', [group('a', [meter(0)], 'CROSSKEY'), group('b')], ['group', 'b', null]],
  ] as const)('is that of %s', (_, groups, [of, guid, key]) => {
    const traffic = trafficOf(context(...groups));
    expect([traffic?.of, traffic?.group.guid, traffic?.all.key]).toEqual([of, guid, key]);
  });

  it('is unknown where nothing adds up, or nothing is known', () => {
    expect(trafficOf(context(group('a', [meter(0, 'VT_GAUGE')])))).toBeNull();
    expect(trafficOf(null)).toBeNull();
  });
});

describe('the cards of an overview', () => {
  const guidsOf = (...groups: readonly object[]) =>
    cardsOf(context(...groups)).groups.map(({ guid }) => guid);

  it('are the groups of flows, or the first of other groups', () => {
    expect(guidsOf(group('mine'), group(HOSTS), group(AGGREGATES), group(APPS))).toEqual([APPS]);
    const many = Array.from({ length: 9 }, (_, index) => group(`g${index}`));
    expect(guidsOf(...many)).toEqual(['g0', 'g1', 'g2', 'g3', 'g4', 'g5']);
  });

  it('all have the same meter', () => {
    expect(guidsOf(group('a'), group('b', [meter(3)]))).toEqual(['a']);
  });
});

describe('a comparison with earlier traffic', () => {
  const terms = {
    kind: 'counter',
    measure: { kind: 'bytes' },
    units: DEFAULT_UNITS,
    topperBucketSize: 300,
  } as const;
  const window = { from: 10 * DAY, to: 11 * DAY };
  const [time] = earlierTimes(window);
  const textOf = (now: number, earlier: number | null, stored = { from: 0, to: 11 * DAY }) => {
    const { text, detail } = comparison({ now, earlier, time, stored, terms });
    return detail === null ? text : `${text} (${detail})`;
  };

  it.each([
    [1500, 1000, '50 % more than a day earlier (+500 B on 1.00 kB)'],
    [900, 1000, '10 % less than a day earlier (\u2212100 B on 1.00 kB)'],
    [1000, 1000, 'As much as a day earlier (+0 B on 1.00 kB)'],
    [29_000, 1000, '29 × as much as a day earlier (+28.0 kB on 1.00 kB)'],
    [1000, 0, 'Nothing was counted a day earlier'],
  ])('of %i with %i says so', (now, earlier, text) => {
    expect(textOf(now, earlier).replaceAll('\u00a0', ' ')).toBe(text);
  });

  it('is not made with a time that is not stored, or not all of it', () => {
    expect(textOf(9, 3, { from: 9 * DAY + 1, to: 11 * DAY })).toMatch(/only partly stored$/);
    expect(textOf(9, 3, { from: 10 * DAY, to: 11 * DAY })).toMatch(
      / nothing is stored for the time a day earlier$/,
    );
    // A gap, with data before it.
    expect(textOf(9, null)).toMatch(/ nothing is stored for the time a day earlier$/);
  });

  it.each([
    [HOUR, ['a day earlier', 'a week earlier']],
    [DAY, ['a day earlier', 'a week earlier']],
    [7 * DAY, ['a week earlier']],
    [8 * DAY, ['in the time of the same length before']],
  ])('of %i seconds is with times that do not overlap', (seconds, names) => {
    const times = earlierTimes({ from: 100 * DAY, to: 100 * DAY + seconds });
    expect(times.map((each) => each?.name)).toEqual(names);
  });
});

describe('the busiest step', () => {
  it('is one that the window does not cut', () => {
    const chart = { times: [240, 300, 600, 660], ends: [300, 600, 660], step: 300, sides: null };
    expect(busiestStep({ ...chart, all: [9, 4, 8, 8] })).toEqual({ from: 300, to: 600, rate: 4 });
    expect(busiestStep({ ...chart, times: [0, 60], ends: [60], all: [9, 9] })).toBeNull();
  });
});

describe('the state of a context', () => {
  it.each([
    [59, 'less than a minute ago'],
    [60, '1 minute ago'],
    [3 * HOUR, '3 hours ago'],
    [3 * DAY, '3 days ago'],
    [17 * 366 * DAY, '17 years ago'],
  ])('is %i seconds old: %s', (seconds, text) => {
    expect(ageText(seconds)).toBe(text);
  });

  it('has exporters that are late, lossy or doubtful', () => {
    const fine = { address: 'a', lastSeen: 1000, flows: 1000, lost: 1, doubts: [] };
    const at = { now: 1360, patience: 360 };
    expect(exporterFaults(fine, at)).toEqual([]);
    expect(exporterFaults({ ...fine, lastSeen: 999 }, at)).toEqual(['last heard 6 minutes ago']);
    expect(exporterFaults({ ...fine, lost: 2 }, at)).toEqual(['lost 2 of what it sent']);
    expect(exporterFaults({ ...fine, doubts: ['its clock is ahead'] }, at)).toHaveLength(1);
  });
});
