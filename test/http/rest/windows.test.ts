import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const MINUTES = guidOf(1);
const FIVES = guidOf(2);
const EMPTY = guidOf(3);
const OLD = guidOf(4);

/** Bucket i of ten holds 2^i, so the sum shows which buckets a window has. */
const bucketsOf = (guid: string, size: number, probe?: string): Line[] =>
  Array.from({ length: 10 }, (_, i) => ({
    group: guid,
    key: 'k',
    ts: T0 + i * size,
    values: { 0: 2 ** i },
    ...(probe !== undefined && { probe }),
  }));

const END = T0 + 600;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1),
      group(2, { bucket_size: 300 }),
      group(3),
      group(4, { bucket_size: 3600, topper_bucket_size: 3600 }),
    ],
    lines: [
      ...bucketsOf(MINUTES, 60),
      ...bucketsOf(FIVES, 300),
      // Probe p2 stops earlier than the others.
      { group: MINUTES, key: 'k', ts: T0 + 61, values: { 0: 10_000 }, probe: 'p2' },
      { group: OLD, key: 'k', ts: T0 - 10 * DAY, values: { 0: 1 } },
    ],
  });
});

afterAll(() => lab.close());

/** The indexes of the buckets that the answer adds up. */
async function bucketsIn(parameters: RestParameters): Promise<number[]> {
  const { keys } = await lab.topper({ counter_group: MINUTES, probe_id: '', ...parameters });
  const sum = Number(keys[0]?.metric ?? 0) % 10_000;
  return Array.from({ length: 10 }, (_, i) => i).filter((i) => (sum >> i) & 1);
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe('window rule 1: window_fromts with window_seconds', () => {
  it.each([
    ['starts with the bucket that starts exactly at its start', T0 + 60, 120, [1, 2]],
    ['has no bucket that started a second before it', T0 + 61, 120, [2, 3]],
    ['starts with the bucket that starts a second after its start', T0 + 59, 120, [1, 2]],
    ['has no bucket that starts exactly at its end', T0 + 60, 60, [1]],
    ['has the bucket that starts a second before its end', T0 + 60, 61, [1, 2]],
    ['is empty if no bucket starts in it', T0 + 61, 59, []],
    ['has a bucket whose first second it contains', T0 + 60, 1, [1]],
    ['may begin at 0', 0, END, range(0, 9)],
  ])('%s', async (_, window_fromts, window_seconds, expected) => {
    expect(await bucketsIn({ window_fromts, window_seconds })).toEqual(expected);
  });

  it('wins over every lower rule, whatever their parameters say', async () => {
    const lower = {
      window_tots: T0 + 600,
      from_date: 'Jul 15 2024 12:05:00 AM',
      recentsecs: 60,
      to_date: 'Jul 15 2024 12:06:00 AM',
    };
    const rule = { window_fromts: T0, window_seconds: 60 };
    expect(await bucketsIn({ ...rule, ...lower })).toEqual([0]);
    expect(await bucketsIn({ ...rule, window_tots: T0 - 600 })).toEqual([0]);
    expect(await bucketsIn({ ...rule, from_date: 'yesterday', recentsecs: 0 })).toEqual([0]);
  });
});

describe('window rule 2: window_fromts with window_tots', () => {
  it.each([
    ['is half open', T0 + 60, T0 + 180, [1, 2]],
    ['has the bucket that starts a second before its end', T0 + 60, T0 + 181, [1, 2, 3]],
    ['has no bucket that starts at its end', T0, T0 + 60, [0]],
    ['may be one second long', T0, T0 + 1, [0]],
    ['may reach the last valid second', T0, 253_402_300_799, range(0, 9)],
    ['may lie before all data', T0 - 600, T0, []],
    ['may lie after all data', END, END + 600, []],
  ])('%s', async (_, window_fromts, window_tots, expected) => {
    expect(await bucketsIn({ window_fromts, window_tots })).toEqual(expected);
  });

  it('wins over dates and recentsecs', async () => {
    const lower = { from_date: 'Jul 15 2024 12:05 AM', to_date: 'nonsense', recentsecs: -1 };
    const rule = { window_fromts: T0, window_tots: T0 + 60 };
    expect(await bucketsIn({ ...rule, ...lower })).toEqual([0]);
    expect(await bucketsIn({ ...rule, from_time: 'nonsense' })).toEqual([0]);
  });
});

describe('window rule 3: dates', () => {
  const dates = { from_date: 'Jul 15 2024 12:01:00 AM', to_date: 'Jul 15 2024 12:03:00 AM' };

  it('is half open like the others', async () => {
    expect(await bucketsIn(dates)).toEqual([1, 2]);
    expect(await bucketsIn({ ...dates, to_date: 'Jul 15 2024 12:03:01 AM' })).toEqual([1, 2, 3]);
    expect(await bucketsIn({ ...dates, from_date: 'Jul 15 2024 12:01:01 AM' })).toEqual([2]);
  });

  it('reads from_time and to_time where from_date and to_date are absent', async () => {
    const { from_date: from_time, to_date: to_time } = dates;
    expect(await bucketsIn({ from_time, to_time })).toEqual([1, 2]);
    expect(await bucketsIn({ ...dates, from_time: 'nonsense', to_time: 'nonsense' })).toEqual([
      1, 2,
    ]);
    expect(await bucketsIn({ from_date: '', from_time, to_date: '', to_time })).toEqual([1, 2]);
  });

  it('wins over recentsecs and window_seconds', async () => {
    expect(await bucketsIn({ ...dates, recentsecs: 60 })).toEqual([1, 2]);
    expect(await bucketsIn({ ...dates, window_seconds: 60 })).toEqual([1, 2]);
    expect(await bucketsIn({ ...dates, recentsecs: 0 })).toEqual([1, 2]);
  });
});

describe('window rule 4: the latest seconds of available data', () => {
  it.each([
    [1, [9]],
    [59, [9]],
    [60, [9]],
    [61, [8, 9]],
    [120, [8, 9]],
    [121, [7, 8, 9]],
    [600, range(0, 9)],
    [601, range(0, 9)],
    [86_400, range(0, 9)],
  ])('of %d seconds begins with the bucket in which it starts', async (seconds, expected) => {
    expect(await bucketsIn({ recentsecs: seconds })).toEqual(expected);
    expect(await bucketsIn({ window_seconds: seconds })).toEqual(expected);
  });

  it('rounds its start down to the buckets of its own group', async () => {
    expect(await bucketsIn({ counter_group: FIVES, recentsecs: 1 })).toEqual([9]);
    expect(await bucketsIn({ counter_group: FIVES, recentsecs: 300 })).toEqual([9]);
    expect(await bucketsIn({ counter_group: FIVES, recentsecs: 301 })).toEqual([8, 9]);
  });

  it('ends where the data of its own group ends, not at the current time', async () => {
    for (const seconds of [T0 - DAY, T0 + 90, T0 + 30 * DAY]) {
      lab.clock.seconds = seconds;
      expect(await bucketsIn({ recentsecs: 60 })).toEqual([9]);
    }
    const { keys } = await lab.topper({ counter_group: OLD, recentsecs: 1 });
    expect(keys).toMatchObject([{ key: 'k', metric: 1 }]);
  });

  it('ends where the data of the chosen probe ends', async () => {
    const { keys } = await lab.topper({ counter_group: MINUTES, recentsecs: 1, probe_id: 'p2' });
    expect(keys).toMatchObject([{ key: 'k', metric: 10_000 }]);
  });

  it('uses recentsecs when window_seconds is given too', async () => {
    expect(await bucketsIn({ recentsecs: 60, window_seconds: 600 })).toEqual([9]);
  });

  it('of a group without data is empty', async () => {
    const answer = await lab.topper({ counter_group: EMPTY, recentsecs: 60 });
    expect(answer).toEqual({ counter_group: EMPTY, meter: 0, sysgrouptotal: 0, keys: [] });
  });
});

describe('the validity of a window (decision 22)', () => {
  const from = T0;
  const date = 'Jul 15 2024 12:01:00 AM';
  it.each([
    ['window_fromts alone', { window_fromts: from }],
    ['window_fromts beside recentsecs', { window_fromts: from, recentsecs: 60 }],
    ['window_tots alone', { window_tots: from }],
    ['window_tots beside recentsecs', { window_tots: from, recentsecs: 60 }],
    ['window_tots beside window_seconds', { window_tots: from, window_seconds: 60 }],
    ['window_tots beside complete dates', { window_tots: from, from_date: date, to_date: date }],
    ['from_date alone', { from_date: date }],
    ['from_date beside recentsecs', { from_date: date, recentsecs: 60 }],
    ['to_date alone', { to_date: date }],
    ['to_date beside window_seconds', { to_date: date, window_seconds: 60 }],
    ['from_time alone', { from_time: date }],
    ['to_time alone', { to_time: date, recentsecs: 60 }],
    ['an end at the start', { window_fromts: from, window_tots: from }],
    ['an end before the start', { window_fromts: from, window_tots: from - 1 }],
    ['dates that end at their start', { from_date: date, to_date: date }],
    ['a duration of 0', { window_fromts: from, window_seconds: 0 }],
    ['a negative duration', { window_fromts: from, window_seconds: -60 }],
    ['recentsecs of 0', { recentsecs: 0 }],
    ['negative recentsecs', { recentsecs: -1 }],
    ['negative recentsecs beside good window_seconds', { recentsecs: -1, window_seconds: 60 }],
    ['window_seconds of 0', { window_seconds: 0 }],
    ['a start before 0', { window_fromts: -1, window_seconds: 60 }],
    ['a start before 0 with an end', { window_fromts: -1, window_tots: from }],
    ['a start after the last valid second', { window_fromts: 253_402_300_800, window_seconds: 60 }],
    ['an end after the last valid second', { window_fromts: from, window_tots: 253_402_300_800 }],
  ])('%s is refused', async (_, parameters) => {
    const [status, message] = await lab.refusal('topper', {
      counter_group: MINUTES,
      ...parameters,
    });
    expect(message).toMatch(/^Invalid time window - ./);
    expect(status).toBe(400);
  });

  it('does not depend on its data', async () => {
    const window = { window_fromts: 0, window_tots: 1 };
    const answer = await lab.topper({ counter_group: MINUTES, ...window });
    expect(answer).toEqual({ counter_group: MINUTES, meter: 0, sysgrouptotal: 0, keys: [] });
  });

  it('does not depend on valid_input, which is ignored', async () => {
    const window = { window_fromts: T0, window_seconds: 60 };
    expect(await bucketsIn({ ...window, valid_input: 0 })).toEqual([0]);
    expect(await bucketsIn({ ...window, valid_input: 'what?' })).toEqual([0]);
  });
});
