import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

const [GROUP, EMPTY, LATE] = [1, 2, 3].map(guidOf) as [string, string, string];

/** Bucket i of twenty holds 2^i, so the total shows which buckets a window has. */
const COUNT = 20;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1), group(2), group(3)],
    declaration: { probes: [{ id: 'p1' }, { id: 'idle' }] },
    lines: [
      ...Array.from({ length: COUNT }, (_, i) => ({
        group: GROUP,
        key: 'k',
        ts: T0 + i * 60,
        values: { 0: 2 ** i },
        ...(i === 7 && { probe: 'p1' }),
      })),
      { group: LATE, key: 'k', ts: T0 + 540, values: { 0: 1 } },
      { group: LATE, key: 'k', ts: T0 + 960, values: { 0: 2 } },
    ],
  });
});

afterAll(() => lab.close());

type Answer = { window: { from: number; to: number; seconds: number }; total: number };

const ask = (window: object | undefined, more: Readonly<Record<string, unknown>> = {}) =>
  lab.graphql<{ context: { counterGroup: { topper: Answer | null } } }>(
    `query ($guid: Guid!, $window: WindowInput, $probe: String, $zone: String) {
      context(name: "lab") { counterGroup(guid: $guid) {
        topper(window: $window, probe: $probe, timeZone: $zone) {
          window { from to seconds } total } } } }`,
    { guid: GROUP, window, ...more },
  );

/** The window as resolved, relative to T0, and the buckets in it. */
async function resolved(window?: object, more?: Readonly<Record<string, unknown>>) {
  const { data, errors, text } = await ask(window, more);
  const answer = data.context.counterGroup.topper;
  if (errors || !answer) throw new Error(text);
  const { from, to, seconds } = answer.window;
  expect(seconds).toBe(to - from);
  const buckets = Array.from({ length: COUNT }, (_, i) => i).filter((i) => (answer.total >> i) & 1);
  return { from: from - T0, to: to - T0, buckets };
}

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe('a window', () => {
  it('drops the fractions of its times', async () => {
    const iso = (seconds: number) => new Date((T0 + seconds) * 1000).toISOString();
    const expected = { from: 60, to: 180, buckets: [1, 2] };
    const windows = [
      { interval: { from: T0 + 60.999, to: T0 + 180.001 } },
      { startingAt: { from: T0 + 60.5, seconds: 120 } },
      { dates: { from: iso(60.123), to: iso(180.999) } },
      { dates: { from: iso(60).replace('000Z', '999999999Z'), to: iso(180.5) } },
    ];
    for (const window of windows) expect(await resolved(window)).toEqual(expected);
    const literals = [
      `{ interval: { from: ${T0 + 60}.999, to: ${T0 + 180}.5e0 } }`,
      `{ startingAt: { from: ${T0 + 60}.1, seconds: 120 } }`,
    ];
    for (const literal of literals) {
      const { context } = await lab.data<{ context: { counterGroup: { topper: Answer } } }>(
        `{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
          topper(window: ${literal}) { window { from to seconds } total } } } }`,
      );
      const { window } = context.counterGroup.topper;
      expect(window).toEqual({ from: T0 + 60, to: T0 + 180, seconds: 120 });
    }
  });

  it('of recentSeconds ends with the data and begins with a bucket', async () => {
    expect(await resolved({ recentSeconds: 60 })).toEqual({ from: 1140, to: 1200, buckets: [19] });
    expect(await resolved({ recentSeconds: 61 })).toEqual({
      from: 1080,
      to: 1200,
      buckets: [18, 19],
    });
    expect(await resolved({ recentSeconds: 1 })).toMatchObject({ buckets: [19] });
    const probe = { probe: 'p1' };
    expect(await resolved({ recentSeconds: 60 }, probe)).toEqual({
      from: 420,
      to: 480,
      buckets: [7],
    });
  });

  it('of an interval is half open', async () => {
    const interval = { from: T0 + 60, to: T0 + 180 };
    expect(await resolved({ interval })).toEqual({ from: 60, to: 180, buckets: [1, 2] });
    expect(await resolved({ interval: { ...interval, to: T0 + 181 } })).toEqual({
      from: 60,
      to: 181,
      buckets: [1, 2, 3],
    });
    expect(await resolved({ interval: { ...interval, from: T0 + 61 } })).toMatchObject({
      buckets: [2],
    });
  });

  it('of startingAt lasts as long as its seconds', async () => {
    const startingAt = { from: T0 + 60, seconds: 120 };
    expect(await resolved({ startingAt })).toEqual({ from: 60, to: 180, buckets: [1, 2] });
  });

  it('of dates is in the time zone', async () => {
    const dates = { from: 'Jul 15 2024 12:01 AM', to: 'jul 15 2024 12:03:00 am' };
    expect(await resolved({ dates })).toEqual({ from: 60, to: 180, buckets: [1, 2] });
    expect(await resolved({ dates }, { zone: 'Europe/Berlin' })).toEqual({
      from: 60 - 7200,
      to: 180 - 7200,
      buckets: [],
    });
  });

  it('of dates may be ISO 8601, in the time zone or with an offset', async () => {
    const dates = { from: '2024-07-15T00:01', to: '2024-07-15T00:03:00' };
    expect(await resolved({ dates })).toEqual({ from: 60, to: 180, buckets: [1, 2] });
    expect(await resolved({ dates }, { zone: 'Europe/Berlin' })).toMatchObject({
      from: 60 - 7200,
      to: 180 - 7200,
    });
    const zoned = { from: '2024-07-15Z', to: '2024-07-15T02:03+02:00' };
    expect(await resolved({ dates: zoned }, { zone: 'Asia/Kolkata' })).toEqual({
      from: 0,
      to: 180,
      buckets: [0, 1, 2],
    });
    const mixed = { from: 'Jul 15 2024 12:01 AM', to: new Date((T0 + 180) * 1000).toISOString() };
    expect(await resolved({ dates: mixed })).toEqual({ from: 60, to: 180, buckets: [1, 2] });
  });

  it('that is left out, null or TODAY lasts from midnight until now', async () => {
    lab.clock.seconds = T0 + 121;
    const expected = { from: 0, to: 121, buckets: [0, 1, 2] };
    for (const window of [undefined, null, { preset: 'TODAY' }]) {
      expect(await resolved(window as object)).toEqual(expected);
      const berlin = { zone: 'Europe/Berlin' };
      expect(await resolved(window as object, berlin)).toEqual({ ...expected, from: -7200 });
    }
    lab.clock.seconds = T0;
    expect(await resolved()).toEqual({ from: 0, to: 0, buckets: [] });
  });

  it('of YESTERDAY is the whole day before, however long it was', async () => {
    const preset = 'YESTERDAY';
    lab.clock.seconds = T0 + DAY + 5;
    expect(await resolved({ preset })).toEqual({ from: 0, to: DAY, buckets: range(0, 19) });
    lab.clock.seconds = T0 + DAY;
    expect(await resolved({ preset })).toMatchObject({ from: 0, to: DAY });
    lab.clock.seconds = T0 + DAY - 1;
    expect(await resolved({ preset })).toEqual({ from: -DAY, to: 0, buckets: [] });
    // In Berlin, March 31 has 23 hours and October 27 has 25.
    lab.clock.seconds = Date.UTC(2024, 3, 1, 12) / 1000;
    const march = Date.UTC(2024, 2, 30, 23) / 1000 - T0;
    expect(await resolved({ preset }, { zone: 'Europe/Berlin' })).toMatchObject({
      from: march,
      to: march + 23 * 3600,
    });
    lab.clock.seconds = Date.UTC(2024, 9, 28, 12) / 1000;
    const october = Date.UTC(2024, 9, 26, 22) / 1000 - T0;
    expect(await resolved({ preset }, { zone: 'Europe/Berlin' })).toMatchObject({
      from: october,
      to: october + 25 * 3600,
    });
  });

  it('of LATEST_TOPPER_BUCKET is the newest complete one', async () => {
    const preset = 'LATEST_TOPPER_BUCKET';
    expect(await resolved({ preset })).toEqual({ from: 900, to: 1200, buckets: range(15, 19) });
    // The data of this group end within a topper bucket, at 1020.
    expect(await resolved({ preset }, { guid: LATE })).toMatchObject({ from: 600, to: 900 });
  });

  it('of ALL_AVAILABLE is the whole available interval', async () => {
    const preset = 'ALL_AVAILABLE';
    expect(await resolved({ preset })).toEqual({ from: 0, to: 1200, buckets: range(0, 19) });
    expect(await resolved({ preset }, { guid: LATE })).toMatchObject({ from: 540, to: 1020 });
  });

  it('of a preset lies inside the interval of the probe', async () => {
    const probe = { probe: 'p1' };
    expect(await resolved({ preset: 'ALL_AVAILABLE' }, probe)).toEqual({
      from: 420,
      to: 480,
      buckets: [7],
    });
    const latest = await resolved({ preset: 'LATEST_TOPPER_BUCKET' }, probe);
    expect(latest.from).toBeGreaterThanOrEqual(420);
    expect(latest.to).toBeLessThanOrEqual(480);
  });

  it('without data is not an error', async () => {
    for (const preset of ['TODAY', 'YESTERDAY', 'LATEST_TOPPER_BUCKET', 'ALL_AVAILABLE']) {
      expect(await resolved({ preset }, { guid: EMPTY })).toMatchObject({ buckets: [] });
      expect(await resolved({ preset }, { probe: 'idle' })).toMatchObject({ buckets: [] });
    }
    expect(await resolved({ recentSeconds: 60 }, { guid: EMPTY })).toMatchObject({ buckets: [] });
  });
});

describe('an invalid window is BAD_USER_INPUT on its topper', () => {
  const from = T0;
  const to = T0 + 60;
  it.each([
    ['an end at the start', { interval: { from, to: from } }],
    ['an end before the start', { interval: { from: to, to: from } }],
    ['a time before 0', { interval: { from: -1, to } }],
    ['a time after the year 9999', { interval: { from, to: 253_402_300_800 } }],
    ['a start before 0', { startingAt: { from: -1, seconds: 60 } }],
    ['a duration of 0', { startingAt: { from, seconds: 0 } }],
    ['a negative duration', { startingAt: { from, seconds: -5 } }],
    ['recentSeconds of 0', { recentSeconds: 0 }],
    ['negative recentSeconds', { recentSeconds: -1 }],
    ['text that is not a date', { dates: { from: 'yesterday', to: 'Jul 15 2024 12:03:00 AM' } }],
    ['an ISO 8601 date that does not exist', { dates: { from: '2024-02-30', to: '2024-03-01' } }],
    ['ISO 8601 dates in reverse', { dates: { from: '2024-07-15', to: '2024-07-14T23:59:59Z' } }],
    ['dates in reverse', { dates: { from: 'Jul 15 2024 1:00 AM', to: 'Jul 15 2024 12:00 AM' } }],
  ])('%s', async (_, window) => {
    const { data, errors, status } = await ask(window);
    expect(data).toEqual({ context: { counterGroup: { topper: null } } });
    expect(errors).toMatchObject([
      { path: ['context', 'counterGroup', 'topper'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(errors?.[0]?.message).toMatch(/^Invalid time window - ./);
    expect(status).toBe(200);
  });

  it.each([
    ['two forms', { recentSeconds: 60, preset: 'TODAY' }],
    ['no form', {}],
    ['a form that is null', { recentSeconds: null }],
    ['a form that is null beside another', { recentSeconds: null, preset: 'TODAY' }],
    ['an unknown preset', { preset: 'TOMORROW' }],
    ['a time that is a string', { interval: { from: 'x', to: 1 } }],
    ['a duration that is a fraction', { startingAt: { from: 0, seconds: 0.5 } }],
    ['a time that is too large', { interval: { from: 0, to: 1e30 } }],
    ['half an interval', { interval: { from: 1 } }],
  ])('%s is refused before anything runs', async (_, window) => {
    const { data, errors } = await ask(window);
    expect(data ?? null).toBeNull();
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
  });

  it('a zone that does not exist', async () => {
    const { data, errors } = await ask(undefined, { zone: 'Mars/Olympus' });
    expect(data).toEqual({ context: { counterGroup: { topper: null } } });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
