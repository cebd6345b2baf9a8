import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepingOf, makePoolFolder, removeFolder } from '../store/archive/keep-support.ts';
import { group, guidOf, meter, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line } from '../support/lab/service.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import { type AlertLab, GRID, reading, type StoredEvent, startAlertLab } from './alert-lab.ts';
import type { ExpectedRule } from './expected-events.ts';
import { rules, streams } from './random-rules.ts';

const HOSTS = guidOf(2);
const PAIRS = guidOf(3);
const DAY = 86_400;

let lab: AlertLab;
let pool: string;

beforeAll(async () => {
  pool = await makePoolFolder();
  const meters = [meter(0, 2, 'Total bytes'), meter(1, 5)];
  lab = await startAlertLab({
    groups: [
      group(1),
      group(2, { name: 'Hosts', key_kind: 'ip', meters }),
      group(3, {
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: HOSTS },
      }),
    ],
    declaration: { pools: [{ name: 'pool', path: pool }] },
  });
});
afterAll(async () => {
  await lab.close();
  await removeFolder(pool);
});

/** Each test has a day of its own, without data or rules of the others. */
let day = 0;

beforeEach(async () => {
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
  await lab.sql('delete from alerts');
  day += DAY;
});
afterEach(() => vi.unstubAllEnvs());

/** `value` of `key` in the last bucket of the n-th window of the test's day. */
const inWindow = (n: number, key: string, value: number): Line =>
  reading(key, day + n * GRID - 60, value);

const endOf = (n: number): number => T0 + day + n * GRID;

const iso = (second: number): string => new Date(second * 1000).toISOString().replace('.000', '');

const testOf = (alert: string, from: number, to: number, ...more: string[]) =>
  runOnDatabase([
    'alerts',
    'test',
    '--context',
    CONTEXT,
    '--alert',
    alert,
    '--from',
    iso(from),
    '--to',
    iso(to),
    ...more,
  ]);

type EventLine = {
  readonly alert: string;
  readonly key: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly value: number;
  readonly peak_value: number;
};

/** The events that `alerts test` prints, in the form of the stored ones: by start and key. */
async function tested(alert: string, from: number, to: number): Promise<StoredEvent[]> {
  const { status, out } = await testOf(alert, from, to, '--json');
  expect(status).toBe(0);
  return out
    .map((line) => JSON.parse(line) as EventLine)
    .map((event) => ({
      alert: event.alert,
      key: event.key,
      startedAt: event.started_at,
      endedAt: event.ended_at,
      value: event.value,
      peakValue: event.peak_value,
    }))
    .toSorted((a, b) => a.startedAt - b.startedAt || ((a.key ?? '') < (b.key ?? '') ? -1 : 1));
}

describe('alerts test', () => {
  it('prints the same events that serve decides', { timeout: 120_000 }, async () => {
    const questions = fc.tuple(
      fc.array(rules, { minLength: 1, maxLength: 4 }),
      streams,
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
    );
    const seen = new Set<string>();
    const all: ExpectedRule['when'][] = [
      { key_above: 20 },
      { key_share_above: 0.4 },
      { key_in_top: 2 },
      { key_grows_by: 5 },
      { key_new_above: 10 },
      { total_above: 60 },
      { total_below: 40 },
    ];
    const common = { window_seconds: 2 * GRID, for_windows: 1, clear_windows: 2, max_keys: 2 };
    const everyCondition = all.map((when) => ({ when, ...common }));
    const stream = Array.from({ length: 12 }, (_, i) => [
      { key: 'a', bucket: 0, value: (i * 17) % 41 },
      { key: 'b', bucket: 3, value: (i * 23) % 37 },
      { key: i % 3 === 0 ? 'c' : 'd', bucket: 4, value: 30 - i },
    ]);
    await fc.assert(
      fc.asyncProperty(questions, async ([declared, windows, steps]) => {
        day += DAY;
        await lab.sql('delete from alerts');
        await lab.importSamples([inWindow(0, 'before', 1)]);
        await lab.declare(Object.fromEntries(declared.map((rule, i) => [`rule ${i}`, rule])));
        const lines = windows.flatMap((window, i) =>
          window.map(({ key, bucket, value }) => reading(key, day + i * GRID + bucket * 60, value)),
        );
        lines.push(inWindow(windows.length + 1, 'after', 1));
        for (let fed = 0, step = 0; fed <= windows.length; step += 1) {
          const until = fed + (steps[step % steps.length] ?? 1);
          const part = lines.filter(({ ts }) => ts >= endOf(fed) && ts < endOf(until));
          if (part.length > 0) await lab.importSamples(part);
          await lab.decideAlertsNow();
          fed = until;
        }
        for (const [i, rule] of declared.entries()) {
          const events = await lab.events(`rule ${i}`);
          expect(await tested(`rule ${i}`, endOf(0), endOf(windows.length))).toEqual(events);
          if (events.length > 0) seen.add(Object.keys(rule.when).join());
        }
      }),
      { numRuns: Math.ceil(FUZZ_CASES / 12), examples: [[[everyCondition, stream, [5]]]] },
    );
    expect(seen.size).toBe(all.length);
  });

  it('leaves out windows before the first data and after the last', async () => {
    await lab.declare({ low: { group: HOSTS, when: { total_below: 5 } } });
    const hosts = (n: number) => ({ ...inWindow(n, 'C0.A8.01.0A', 9), group: HOSTS });
    await lab.importSamples([hosts(3), hosts(5), hosts(7)]);
    const { out } = await testOf('low', endOf(-100), endOf(100));
    expect(out).toEqual([
      `no single key: from ${iso(endOf(4))} to ${iso(endOf(5))}, value 0, peak 0`,
      `no single key: from ${iso(endOf(6))} to ${iso(endOf(7))}, value 0, peak 0`,
      'The alert low (the total below 5) has 2 events in 5 windows, which end from ' +
        `${iso(endOf(3))} to ${iso(endOf(7))}.`,
    ]);
  });

  it('prints readable keys, and says which events have not ended', async () => {
    const key = 'C0.A8.01.0A\\0A.00.00.01';
    await lab.importSamples([1, 2].map((n) => ({ ...inWindow(n, key, 10 * n), group: PAIRS })));
    await lab.declare({ pair: { group: PAIRS, when: { key_above: 5 } } });
    const { out } = await testOf('pair', endOf(0), endOf(2));
    expect(out).toEqual([
      `192.168.1.10\\10.0.0.1: from ${iso(endOf(1))} firing at the end, value 10, peak 20`,
      'The alert pair (a key above 5) has 1 event in 2 windows, which end from ' +
        `${iso(endOf(1))} to ${iso(endOf(2))}.`,
    ]);
  });

  it('decides windows that end after --from and no later than --to', async () => {
    await lab.importSamples([1, 2, 3, 4].map((n) => inWindow(n, 'a', 9)));
    await lab.declare({ every: { when: { key_above: 5 } } });
    expect(await tested('every', endOf(1), endOf(3))).toMatchObject([{ startedAt: endOf(2) }]);
    expect(await tested('every', endOf(2) - 1, endOf(3) - 1)).toMatchObject([
      { startedAt: endOf(2) },
    ]);
    expect(await tested('every', endOf(2), endOf(3) - 1)).toEqual([]);
  });

  it('tests a disabled rule, and changes nothing', async () => {
    await lab.importSamples([1, 2].map((n) => inWindow(n, 'a', 9)));
    await lab.declare({ off: { when: { key_above: 5 }, enabled: false } });
    const stored = () => lab.sql('select * from alerts');
    const before = await stored();
    expect(await tested('off', endOf(0), endOf(2))).toHaveLength(1);
    expect(await stored()).toEqual(before);
    expect(await lab.events()).toEqual([]);
  });

  it('writes values above 2^53 in full', async () => {
    const most = 2 ** 53 - 1;
    await lab.importSamples([60, 120, 240].map((at) => reading('a', day + at, most)));
    await lab.declare({ large: { when: { key_above: 5 } } });
    const { out, err } = await testOf('large', endOf(0), endOf(1), '--json');
    expect(out).toEqual([
      `{"alert":"large","key":"a","started_at":${endOf(1)},"ended_at":null,` +
        '"value":27021597764222973,"peak_value":27021597764222973}',
    ]);
    expect(err).toEqual([
      expect.stringMatching(/^The alert large \(a key above 5\) has 1 event in 1 window, /),
    ]);
  });

  it('names the archived slices between --from and --to', async () => {
    await lab.importSamples([inWindow(1, 'a', 9)]);
    await lab.declare({ every: { when: { key_above: 5 } } });
    const name = `slice-${iso(endOf(0)).slice(0, 10).replaceAll('-', '')}-0000`;
    lab.clock.seconds = endOf(0) + DAY;
    await keepingOf(lab).archive(name);
    lab.clock.seconds = T0;
    const { out, err } = await testOf('every', endOf(0), endOf(2));
    expect(err).toEqual([`${name} is archived: the rule is not tested on its readings`]);
    expect(out.at(-1)).toContain('has no window to test: its data are from ');
  });

  it('says what is wrong with its options', async () => {
    await lab.declare({ quiet: { when: { silent_seconds: 60 } }, big: { when: { key_above: 1 } } });
    const failed = async (alert: string, from = endOf(0), to = endOf(1)) => {
      const { status, out, err } = await testOf(alert, from, to);
      expect(out).toEqual([]);
      return [status, err.join()];
    };
    expect(await failed('bog')).toEqual([
      1,
      'countergraph: There is no alert bog in context lab (its alerts are big, quiet)',
    ]);
    expect(await failed('quiet')).toEqual([
      1,
      expect.stringContaining('The alert quiet has no windows to test: silent_seconds compares'),
    ]);
    expect(await failed('big', endOf(1), endOf(1))).toEqual([
      2,
      expect.stringContaining('--to must be later than --from; got --from'),
    ]);
    await lab.sql('delete from alerts');
    expect(await failed('big')).toEqual([
      1,
      'countergraph: There is no alert big in context lab (it has none: declare alerts with ' +
        '`npx countergraph apply`)',
    ]);
    const args = ['--alert', 'a', '--from', iso(T0), '--to', iso(T0 + 1)];
    const { err } = await runOnDatabase(['alerts', 'test', '--context', 'lob', ...args]);
    expect(err).toEqual(['countergraph: There is no context lob (the contexts are lab)']);
  });
});

describe('alerts list', () => {
  const list = (...more: string[]) =>
    runOnDatabase(['alerts', 'list', '--context', CONTEXT, ...more]);

  it('shows control characters of labels as escapes, each event in one line', async () => {
    const label = 'a\nb\u001b[31m\u202ec';
    const hosts = (n: number) => ({ ...inWindow(n, 'C0.A8.02.0B', 9), group: HOSTS, label });
    await lab.importSamples([hosts(1)]);
    await lab.declare({ big: { group: HOSTS, when: { key_above: 5 } } });
    await lab.importSamples([hosts(2), hosts(3)]);
    await lab.decideAlertsNow();
    expect((await list()).out[1]).toBe(
      `  firing since ${iso(endOf(2))}: 192.168.2.11 (a\\u000ab\\u001b[31m\\u202ec), value 9, peak 9`,
    );
  });

  it('shows control characters of names as escapes, also where a rule is missing', async () => {
    await lab.declare({ 'a\u202eb': { when: { key_above: 5 } } });
    const { out } = await list();
    expect(out).toHaveLength(1);
    expect(out[0]).toMatch(/^a\\u202eb \(warning\): /);
    await lab.importSamples([inWindow(1, 'a', 9)]);
    const tested = await testOf('a\u202eb', endOf(0), endOf(1));
    expect(tested.out.at(-1)).toMatch(/^The alert a\\u202eb \(/);
    const { err } = await testOf('b\u202ea', endOf(0), endOf(1));
    expect(err).toEqual([
      'countergraph: There is no alert b\\u202ea in context lab (its alerts are a\\u202eb)',
    ]);
  });

  it('shows each rule, how far it is decided, and what is firing', async () => {
    expect(await list()).toEqual({
      status: 0,
      out: ['Context lab has no alerts: declare them with `npx countergraph apply`'],
      err: [],
    });
    const hosts = (n: number, value: number) => ({
      ...inWindow(n, 'C0.A8.01.0B', value),
      group: HOSTS,
      label: 'printer',
    });
    await lab.importSamples([hosts(1, 1)]);
    await lab.declare({
      big: { group: HOSTS, when: { key_above: 5 }, severity: 'page', max_keys: 1 },
      low: { group: HOSTS, when: { total_below: 5 } },
      new: { group: guidOf(1), when: { key_in_top: 3 }, enabled: false },
      quiet: { group: HOSTS, when: { silent_seconds: 60 } },
    });
    await lab.importSamples([
      hosts(2, 9),
      { ...inWindow(2, 'C0.A8.01.0C', 8), group: HOSTS },
      hosts(3, 12),
      { ...inWindow(3, 'C0.A8.01.0C', 8), group: HOSTS },
      hosts(4, 1),
    ]);
    await lab.decideAlertsNow();
    const decided = `decided up to ${iso(endOf(3))}`;
    expect((await list()).out).toEqual([
      `big (page): Hosts, Total bytes: a key above 5; ${decided}`,
      `  firing since ${iso(endOf(2))}: 192.168.1.11 (printer), value 9, peak 12`,
      `  firing since ${iso(endOf(2))}: no single key, value 8, peak 8`,
      `low (warning): Hosts, Total bytes: the total below 5; ${decided}`,
      'new (warning): Group 1, Meter 0: a key in the top 3; disabled',
      'quiet (warning): Hosts: no new data for more than 60 seconds; enabled',
    ]);
    const [big, low] = (await list('--json')).out.map((line) => JSON.parse(line));
    const event = { id: expect.any(String), started_at: endOf(2) };
    expect(big).toEqual({
      alert: 'big',
      severity: 'page',
      enabled: true,
      group: HOSTS,
      group_name: 'Hosts',
      meter: 0,
      condition: 'a key above 5',
      window_seconds: GRID,
      decided_to: endOf(3),
      made_by: null,
      silenced_until: null,
      silenced_by: null,
      silence_reason: null,
      firing: [
        {
          ...event,
          key: 'C0.A8.01.0B',
          readable: '192.168.1.11',
          label: 'printer',
          value: 9,
          peak_value: 12,
        },
        { ...event, key: null, readable: null, label: null, value: 8, peak_value: 8 },
      ],
    });
    expect(low).toMatchObject({ alert: 'low', decided_to: endOf(3), firing: [] });
    await lab.sql(`update alerts set made_by = 'ada', silenced_until = '2100-01-02T03:04:05Z',
      silenced_by = 'bob', silence_reason = 'a test' where name = 'low'`);
    const from = 'made in the page by ada; silenced until 2100-01-02T03:04:05Z by bob (a test)';
    expect((await list()).out).toContain(
      `low (warning): Hosts, Total bytes: the total below 5; ${decided}; ${from}`,
    );
  });
});
