import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, startTestService, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

const seconds = (iso: string): number => Date.parse(iso) / 1000;

/** Each instant is a key, so the keys of an answer show which instants its window has. */
const INSTANTS = [
  '2024-03-30T21:59:00Z',
  '2024-03-30T22:00:00Z',
  '2024-03-30T22:59:00Z',
  '2024-03-30T23:00:00Z',
  '2024-03-31T00:59:00Z',
  '2024-03-31T01:29:00Z',
  '2024-03-31T01:30:00Z',
  '2024-07-14T21:59:00Z',
  '2024-07-14T22:00:00Z',
  '2024-07-14T23:59:00Z',
  '2024-07-15T00:00:00Z',
  '2024-07-15T00:01:00Z',
  '2024-07-15T00:02:00Z',
  '2024-10-26T21:59:00Z',
  '2024-10-26T22:00:00Z',
  '2024-10-27T00:29:00Z',
  '2024-10-27T00:30:00Z',
  '2024-10-27T01:30:00Z',
  '2024-11-03T03:59:00Z',
  '2024-11-03T04:00:00Z',
  '2024-11-03T05:00:00Z',
];

let lab: TestService;
let berlin: TestService;

beforeAll(async () => {
  const lines = INSTANTS.map((key) => ({
    group: GROUP,
    key,
    ts: seconds(key),
    values: { 0: 1 },
  }));
  lab = await startLab({ groups: [group(1)], lines });
  const { databaseUrl } = lab;
  berlin = await startTestService({ databaseUrl, settings: { timeZone: 'Europe/Berlin' } });
});

afterAll(async () => {
  await berlin.close();
  await lab.close();
});

async function instantsIn(service: TestService, parameters: RestParameters): Promise<string[]> {
  const { keys } = await service.topper({ counter_group: GROUP, ...parameters });
  return keys.map(({ key }) => key).sort();
}

const between = (first: string, last: string): string[] =>
  INSTANTS.filter((instant) => instant >= first && instant <= last);

describe('a fraction of a second', () => {
  it('is dropped in dates, and refused in integers', async () => {
    const dates = { from_date: '2024-07-15T00:01:00.999Z', to_date: '2024-07-15T00:02:00.5Z' };
    expect(await instantsIn(lab, dates)).toEqual(['2024-07-15T00:01:00Z']);
    const times = { from_time: '2024-07-15T00:01:00.1', to_time: '2024-07-15T00:02:00.999999999' };
    expect(await instantsIn(lab, times)).toEqual(['2024-07-15T00:01:00Z']);
    for (const [name, value] of [
      ['window_fromts', '1721001600.5'],
      ['recentsecs', '60.5'],
    ] as const) {
      const query = { counter_group: GROUP, window_seconds: 60, [name]: value };
      const { status, text } = await lab.rest('topper', query);
      expect([status, text]).toEqual([400, expect.stringContaining(`${name} must be an integer`)]);
    }
  });
});

describe('window rule 5: without time parameters, from midnight until now', () => {
  it('has the buckets that started since midnight and before now', async () => {
    lab.clock.seconds = T0 + 119;
    const expected = ['2024-07-15T00:00:00Z', '2024-07-15T00:01:00Z'];
    expect(await instantsIn(lab, {})).toEqual(expected);
    lab.clock.seconds = T0 + 120;
    expect(await instantsIn(lab, {})).toEqual(expected);
    lab.clock.seconds = T0 + 121;
    expect(await instantsIn(lab, {})).toEqual([...expected, '2024-07-15T00:02:00Z']);
  });

  it('never fails, not even at midnight itself', async () => {
    lab.clock.seconds = T0;
    expect(await instantsIn(lab, {})).toEqual([]);
    lab.clock.seconds = T0 + 1;
    expect(await instantsIn(lab, {})).toEqual(['2024-07-15T00:00:00Z']);
  });

  it('starts at the midnight of the configured zone, or of time_zone', async () => {
    lab.clock.seconds = T0 + DAY - 1;
    berlin.clock.seconds = T0 + 60;
    const inBerlin = between('2024-07-14T22:00:00Z', '2024-07-15T00:00:00Z');
    expect(await instantsIn(berlin, {})).toEqual(inBerlin);
    expect(await instantsIn(berlin, { time_zone: 'UTC' })).toEqual(['2024-07-15T00:00:00Z']);
    lab.clock.seconds = T0 + 60;
    expect(await instantsIn(lab, { time_zone: 'Europe/Berlin' })).toEqual(inBerlin);
    expect(await instantsIn(lab, { time_zone: 'America/New_York' })).toEqual(
      between('2024-07-14T21:59:00Z', '2024-07-15T00:00:00Z'),
    );
  });

  it.each([
    // On the day when clocks go forward, midnight is still in winter time.
    ['Europe/Berlin', '2024-03-31T12:00:00Z', '2024-03-30T23:00:00Z', '2024-03-31T01:30:00Z'],
    // On the day when clocks go back, midnight is still in summer time.
    ['Europe/Berlin', '2024-10-27T12:00:00Z', '2024-10-26T22:00:00Z', '2024-10-27T01:30:00Z'],
    // Beirut has no 00:00 on that day: 01:00 follows 23:59.
    ['Asia/Beirut', '2024-03-31T12:00:00Z', '2024-03-30T22:00:00Z', '2024-03-31T01:30:00Z'],
    // Havana has 00:00 twice on that day: the first of them counts.
    ['America/Havana', '2024-11-03T12:00:00Z', '2024-11-03T04:00:00Z', '2024-11-03T05:00:00Z'],
  ])('in %s at %s starts at %s', async (time_zone, now, first, last) => {
    lab.clock.seconds = seconds(now);
    expect(await instantsIn(lab, { time_zone })).toEqual(between(first, last));
  });

  it('refuses a zone that does not exist', async () => {
    const [status, message] = await lab.refusal('topper', {
      counter_group: GROUP,
      time_zone: 'Mars/Olympus',
    });
    expect(message).toMatch(/^time_zone must be .*, got "Mars\/Olympus"$/);
    expect(status).toBe(400);
  });
});

describe('an ISO 8601 date', () => {
  const to_date = '2024-12-31';

  it.each([
    ['2024-07-15', '2024-07-15T00:00:00Z', 'a date alone stands for its first second'],
    ['2024-07-15T00:01', '2024-07-15T00:01:00Z', 'without seconds'],
    ['2024-07-15T00:00:01', '2024-07-15T00:01:00Z', 'with seconds'],
    ['2024-07-15Z', '2024-07-15T00:00:00Z', 'a date with Z'],
    ['2024-07-15T00:01Z', '2024-07-15T00:01:00Z', 'Z'],
    ['2024-07-15T00:01:00Z', '2024-07-15T00:01:00Z', 'Z after seconds'],
    ['2024-07-15+02:00', '2024-07-14T22:00:00Z', 'a date with an offset'],
    ['2024-07-15T01:59+02:00', '2024-07-14T23:59:00Z', 'an offset'],
    ['2024-07-14T18:59:00-05:00', '2024-07-14T23:59:00Z', 'an offset west of Greenwich'],
  ])('%s starts a window whose first instant is %s: %s', async (from_date, first) => {
    expect((await instantsIn(lab, { from_date, to_date }))[0]).toBe(first);
    // The zone applies only to dates without an offset.
    if (!/Z$|[+-]\d\d:\d\d$/.test(from_date)) return;
    const elsewhere = { time_zone: 'Asia/Kolkata' };
    expect((await instantsIn(lab, { from_date, to_date, ...elsewhere }))[0]).toBe(first);
  });

  it('may also be the end, which is exclusive, in any of the parameters', async () => {
    const expected = between('2024-07-15T00:00:00Z', '2024-07-15T00:01:00Z');
    const from = '2024-07-15';
    const to = '2024-07-15T00:02Z';
    expect(await instantsIn(lab, { from_date: from, to_date: to })).toEqual(expected);
    expect(await instantsIn(lab, { from_time: from, to_time: to })).toEqual(expected);
    const human = 'Jul 15 2024 12:02:00 AM';
    expect(await instantsIn(lab, { from_date: from, to_time: human })).toEqual(expected);
  });

  it('without an offset is local to the configured zone, or to time_zone', async () => {
    const window = { from_date: '2024-07-15', to_date: '2024-07-15T02:01' };
    const expected = between('2024-07-14T22:00:00Z', '2024-07-15T00:00:00Z');
    expect(await instantsIn(berlin, window)).toEqual(expected);
    expect(await instantsIn(lab, { ...window, time_zone: 'Europe/Berlin' })).toEqual(expected);
  });

  it('that does not exist, or exists twice, is read with the earlier offset', async () => {
    const spring = { to_date: '2024-03-31T18:00', time_zone: 'Europe/Berlin' };
    expect(await instantsIn(lab, { from_date: '2024-03-31T02:30', ...spring })).toEqual([
      '2024-03-31T01:30:00Z',
    ]);
    const autumn = { to_date: '2024-10-27T18:00', time_zone: 'Europe/Berlin' };
    expect(await instantsIn(lab, { from_date: '2024-10-27T02:30', ...autumn })).toEqual([
      '2024-10-27T00:30:00Z',
      '2024-10-27T01:30:00Z',
    ]);
  });

  it('keeps a + that the URL has unencoded, where it stands for a space', async () => {
    const query = new URLSearchParams({
      username: ADA.username,
      api_token: ADA.token,
      context: CONTEXT,
      counter_group: GROUP,
    });
    const dates = 'from_date=2024-07-15T01:59:00+02:00&to_date=2024-07-15T02:02+02:00';
    const { text } = await lab.call(`${lab.path('topper')}?${query}&${dates}`);
    const { keys } = JSON.parse(text) as { keys: { key: string }[] };
    expect(keys.map(({ key }) => key).sort()).toEqual(
      between('2024-07-14T23:59:00Z', '2024-07-15T00:01:00Z'),
    );
  });

  it('makes no valid window where the end is not after the start', async () => {
    const window = { from_date: '2024-07-15', to_date: '2024-07-15' };
    expect(await lab.refusal('topper', { counter_group: GROUP, ...window })).toEqual([
      400,
      `Invalid time window - to_date must be after from_date, got ${T0} with ${T0}`,
    ]);
  });
});

describe('a human date (decisions 20 and 21)', () => {
  const to_date = 'Dec 31 2024 11:59:59 PM';

  it.each([
    ['Jul 15 2024 12:01:00 AM', '2024-07-15T00:01:00Z'],
    ['jul 15 2024 12:01:00 am', '2024-07-15T00:01:00Z'],
    ['JULY 15 2024 12:01:00 Am', '2024-07-15T00:01:00Z'],
    ['July 15 2024 12:01 AM', '2024-07-15T00:01:00Z'],
    ['Jul 14 2024 11:59:00 PM', '2024-07-14T23:59:00Z'],
    ['Jul 14 2024 11:59:59 PM', '2024-07-15T00:00:00Z'],
    ['Mar 31 2024 1:30:00 AM', '2024-03-31T01:30:00Z'],
    ['Mar 31 2024 01:30:00 AM', '2024-03-31T01:30:00Z'],
    ['march 31 2024 1:30 am', '2024-03-31T01:30:00Z'],
    ['Nov 3 2024 4:00:00 AM', '2024-11-03T04:00:00Z'],
    ['Nov 03 2024 04:00:00 AM', '2024-11-03T04:00:00Z'],
    ['Feb 29 2024 12:00:00 PM', '2024-03-30T21:59:00Z'],
  ])('%s starts a window whose first instant is %s', async (from_date, first) => {
    expect((await instantsIn(lab, { from_date, to_date }))[0]).toBe(first);
  });

  it.each([
    ['noon', 'Jul 15 2024 12:00:00 PM', []],
    [
      'midnight',
      'Jul 15 2024 12:00:00 AM',
      between('2024-07-15T00:00:00Z', '2024-07-15T00:02:00Z'),
    ],
  ])('writes %s as twelve', async (_, from_date, expected) => {
    const window = { from_date, to_date: 'Jul 15 2024 6:00:00 PM' };
    expect(await instantsIn(lab, window)).toEqual(expected);
  });

  it('is local to the configured zone, or to time_zone', async () => {
    const window = { from_date: 'Jul 15 2024 12:00:00 AM', to_date: 'Jul 15 2024 2:01:00 AM' };
    const expected = between('2024-07-14T22:00:00Z', '2024-07-15T00:00:00Z');
    expect(await instantsIn(berlin, window)).toEqual(expected);
    expect(await instantsIn(lab, { ...window, time_zone: 'Europe/Berlin' })).toEqual(expected);
  });

  it('that does not exist is read with the offset before the gap', async () => {
    const window = { to_date: 'Mar 31 2024 6:00:00 PM', time_zone: 'Europe/Berlin' };
    // 02:30 is skipped: at the earlier offset, +01:00, it is 01:30 UTC.
    expect(await instantsIn(lab, { from_date: 'Mar 31 2024 2:30:00 AM', ...window })).toEqual([
      '2024-03-31T01:30:00Z',
    ]);
    expect(await instantsIn(lab, { from_date: 'Mar 31 2024 2:29:00 AM', ...window })).toEqual([
      '2024-03-31T01:29:00Z',
      '2024-03-31T01:30:00Z',
    ]);
  });

  it('that exists twice is read as the first of the two', async () => {
    const window = { to_date: 'Oct 27 2024 6:00:00 PM', time_zone: 'Europe/Berlin' };
    expect(await instantsIn(lab, { from_date: 'Oct 27 2024 2:30:00 AM', ...window })).toEqual([
      '2024-10-27T00:30:00Z',
      '2024-10-27T01:30:00Z',
    ]);
  });

  it.each([
    'yesterday',
    '2024-07-15 10:00:00',
    '2024-07-15 10:00',
    '2024-07-15 02:00',
    '2024-7-15',
    '2024-07',
    '2024-02-30',
    '2024-07-15T10',
    '2024-07-15T24:00',
    '2024-07-15T10:00:60Z',
    '2024-07-15T10:00:00,5Z',
    '2024-07-15T10:00 UTC',
    '2024-07-15T10:00[Europe/Berlin]',
    '20240715T100000Z',
    '2024-W29-1',
    'Jul 15 2024',
    'Jul 15 2024 10:00:00',
    'Jul 15 2024 13:00:00 PM',
    'Jul 15 2024 0:30:00 AM',
    'Jul 15 2024 10:60:00 AM',
    'Jul 15 2024 10:00:60 AM',
    'Jul 32 2024 10:00:00 AM',
    'Jul 0 2024 10:00:00 AM',
    'Feb 30 2024 10:00:00 AM',
    'Feb 29 2023 10:00:00 AM',
    'Sept 15 2024 10:00:00 AM',
    'Ju 15 2024 10:00:00 AM',
    'Juli 15 2024 10:00:00 AM',
    'Jul 15 24 10:00:00 AM',
    'Jul 15 2024 10:0:00 AM',
    'Jul 15 2024 10 AM',
    'Jul 015 2024 10:00:00 AM',
    'Jul 15 2024 10:00:00 XM',
    'Jul 15 2024 10:00:00 AM UTC',
    '１５ Jul 2024 10:00:00 AM',
    '1721001600',
  ])('is not %s', async (given) => {
    const shown = JSON.stringify(given);
    for (const [name, partner] of [
      ['from_date', 'to_date'],
      ['to_date', 'from_date'],
      ['from_time', 'to_time'],
      ['to_time', 'from_time'],
    ] as const) {
      const window = { [name]: given, [partner]: 'Jul 15 2024 10:00:00 AM' };
      expect(await lab.refusal('topper', { counter_group: GROUP, ...window })).toEqual([
        400,
        `Invalid time window - ${name} must look like "Jul 15 2026 10:00:00 AM", got ${shown}`,
      ]);
    }
  });

  it('before 1970 is out of range', async () => {
    const window = { from_date: 'Dec 31 1969 11:59:59 PM', to_date };
    const [status, message] = await lab.refusal('topper', { counter_group: GROUP, ...window });
    expect(message).toMatch(/^Invalid time window - ./);
    expect(status).toBe(400);
    expect(await instantsIn(lab, { from_date: 'Jan 1 1970 12:00:00 AM', to_date })).toEqual(
      INSTANTS,
    );
  });
});
