import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { selectContext } from '../../db/sql/contexts.ts';
import { selectGroups } from '../../db/sql/declaration.ts';
import { exportDeclaration } from '../../export/declaration.ts';
import { group, guidOf, meter, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line } from '../support/lab/service.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import { type AlertLab, GRID, reading, startAlertLab, windowEnd } from './alert-lab.ts';
import { expectedEvents } from './expected-events.ts';
import { rules, streams } from './random-rules.ts';

let lab: AlertLab;

beforeAll(async () => {
  lab = await startAlertLab({
    groups: [group(1, { meters: [meter(0, 2), meter(1, 5)] }), group(2, { sampling_rate: 100 })],
  });
});
afterAll(() => lab.close());

beforeEach(async () => {
  await lab.sql('delete from alerts');
  await lab.apply({ context: CONTEXT, notify: [] });
});

/** Each test has a day of its own. */
let day = 0;
beforeEach(() => {
  day += 86_400;
});

/** `value` of `key` in the last bucket of the n-th window of the test's day. */
const inWindow = (n: number, key: string, value: number): Line =>
  reading(key, day + n * GRID - 60, value);

/** Imports the lines of one window after another, and decides after each. */
async function feed(...windows: readonly (readonly [key: string, value: number])[][]) {
  for (const [i, values] of windows.entries()) {
    if (values.length > 0) {
      await lab.importSamples(values.map(([key, value]) => inWindow(i + 1, key, value)));
    }
    await lab.decideAlertsNow();
  }
}

const told = async () =>
  (await lab.events()).map(({ alert, key, startedAt, endedAt, value, peakValue }) => [
    alert,
    key,
    (startedAt - T0 - day) / GRID,
    endedAt && (endedAt - T0 - day) / GRID,
    value,
    peakValue,
  ]);

describe('a rule', () => {
  it('begins an event with a window that meets it, and ends it after enough others', async () => {
    await feed([['before', 1]]);
    await lab.declare({ big: { when: { key_above: 10 }, clear_windows: 2 } });
    await feed([], [['a', 11]], [['a', 30]], [['b', 10]], [['a', 12]], [['b', 1]], [['b', 1]]);
    // The last window is not due: no data reach a topper bucket beyond its end.
    expect(await told()).toEqual([['big', 'a', 2, null, 11, 30]]);
    await feed([], [], [], [], [], [], [], [['b', 1]]);
    expect(await told()).toEqual([['big', 'a', 2, 7, 11, 30]]);
  });

  it('starts with the first window that ends after the data at its declaration', async () => {
    await feed([['a', 100]], [['a', 100]]);
    await lab.declare({ big: { when: { key_above: 10 } } });
    await feed([], [], [['a', 50]], [['a', 1]]);
    expect(await told()).toEqual([['big', 'a', 3, null, 50, 50]]);
  });

  it('that is declared before any data starts with the first data', async () => {
    await lab.declare({ low: { group: guidOf(2), when: { total_below: 500 } } });
    await lab.decideAlertsNow();
    const second = (n: number, value: number) => ({
      ...inWindow(n, 'a', value),
      group: guidOf(2),
    });
    await lab.importSamples([second(3, 1), second(5, 6), second(6, 1)]);
    await lab.decideAlertsNow();
    // The group is sampled 1 in 100, and the rule compares values as they are shown.
    expect(await told()).toEqual([['low', null, 3, 5, 100, 0]]);
  });

  it('waits for data beyond the window, or for two topper buckets by the clock', async () => {
    await feed([['before', 1]]);
    await lab.declare({ big: { when: { key_above: 10 } } });
    await feed([], [['a', 11]]);
    expect(await told()).toEqual([]);
    const importedAt = Math.floor(Date.now() / 1000);
    lab.clock.seconds = importedAt + 2 * GRID - 60;
    await lab.decideAlertsNow();
    expect(await told()).toEqual([]);
    lab.clock.seconds = importedAt + 2 * GRID;
    await lab.decideAlertsNow();
    expect(await told()).toEqual([['big', 'a', 2, null, 11, 11]]);
    lab.clock.seconds = T0;
  });

  it('does not decide again when late readings arrive', async () => {
    await feed([['before', 1]]);
    await lab.declare({ big: { when: { key_above: 10 } } });
    await feed([], [['a', 1]], [['a', 1]], [['a', 20]], [['b', 1]]);
    await lab.importSamples([inWindow(2, 'a', 50), inWindow(3, 'a', 50)]);
    await lab.decideAlertsNow();
    expect(await told()).toEqual([['big', 'a', 4, null, 20, 20]]);
  });

  it('ends its events if it is changed or disabled; if changed, it starts again', async () => {
    await feed([['before', 1]]);
    await lab.declare({ big: { when: { key_above: 10 } }, off: { when: { key_above: 5 } } });
    await feed([], [['a', 11]], [['a', 11]]);
    await lab.declare({ big: { when: { key_above: 9 } } });
    await lab.declare({ off: { when: { key_above: 5 }, enabled: false } });
    expect(await told()).toEqual([
      ['big', 'a', 2, 2, 11, 11],
      ['off', 'a', 2, 2, 11, 11],
    ]);
    await feed([], [], [], [['a', 10]], [['b', 1]]);
    expect(await told()).toEqual([
      ['big', 'a', 2, 2, 11, 11],
      ['big', 'a', 4, null, 10, 10],
      ['off', 'a', 2, 2, 11, 11],
    ]);
  });

  it('continues if it is applied again as `export --declaration` writes it', async () => {
    await feed([['before', 1]]);
    await lab.declare({
      big: { when: { key_above: 10 }, for_windows: 2, clear_windows: 2 },
      share: { when: { key_share_above: 0.07 }, filter: { match: '^a' }, max_keys: 1 },
    });
    await feed([], [['a', 11]], [['a', 12]], [['a', 1]]);
    const rows = () => lab.sql('select * from alerts order by alert_id');
    const before = await rows();
    const events = await told();
    expect(events).toHaveLength(2);
    const text = await lab.write(async (connection) => {
      const context = await selectContext(connection, CONTEXT);
      if (!context) throw new Error('there is no context');
      const groups = await selectGroups(connection, context.contextId);
      return (await exportDeclaration(connection, { name: CONTEXT, context, groups })).text;
    });
    expect((await lab.apply(JSON.parse(text))).counts).toMatchObject({ created: 0, changed: 0 });
    expect(await rows()).toEqual(before);
    expect(await told()).toEqual(events);
    await feed([], [], [], [], [['b', 1]], [['b', 1]]);
    expect(await told()).toEqual([
      ['big', 'a', 3, 5, 12, 12],
      ['share', 'a', 2, 5, 11, 12],
    ]);
  });

  it('reads nothing for windows without data, however many there are', async () => {
    await feed([['before', 1]]);
    await lab.declare({ low: { when: { total_below: 5 }, for_windows: 3, clear_windows: 2 } });
    const year = 365 * 86_400;
    await lab.importSamples([reading('a', day + year - 60, 9), reading('a', day + year + 240, 9)]);
    await lab.importSamples([reading('a', day + year + 540, 9)]);
    await lab.decideAlertsNow();
    expect(await told()).toEqual([['low', null, 4, year / GRID + 1, 0, 0]]);
    expect(lab.logText()).not.toContain('cannot be decided');
    day += year;
  });
});

describe('a rule about silence', () => {
  it('depends on the clock and the commit that brought the newest bucket', async () => {
    await lab.declare({ quiet: { when: { silent_seconds: 60 } } });
    await lab.importSamples([inWindow(1, 'a', 1)]);
    const at = Math.floor(Date.now() / 1000 / 10) * 10 + 10;
    const check = async (second: number) => {
      lab.clock.seconds = at + second;
      await lab.decideAlertsNow();
      return (await lab.events()).map(({ endedAt, value }) => [value > 60, endedAt !== null]);
    };
    expect(await check(30)).toEqual([]);
    expect(await check(90)).toEqual([[true, false]]);
    // A late reading brings no newer bucket.
    await lab.importSamples([inWindow(1, 'late', 1)]);
    expect(await check(100)).toEqual([[true, false]]);
    await lab.importSamples([inWindow(2, 'a', 1)]);
    await lab.sql('update coverage set newest_at = to_timestamp($1)', [at + 100]);
    expect(await check(120)).toEqual([[true, true]]);
    lab.clock.seconds = T0;
  });

  it('follows the clock when it is set back', async () => {
    await lab.sql('delete from alerts');
    await lab.declare({ quiet: { when: { silent_seconds: 60 } } });
    await lab.importSamples([inWindow(3, 'a', 1)]);
    const at = Math.floor(Date.now() / 1000 / 10) * 10 + 10;
    const check = async (second: number) => {
      lab.clock.seconds = at + second;
      await lab.decideAlertsNow();
      return (await lab.events()).map(({ startedAt, endedAt }) => [
        startedAt - at,
        endedAt && endedAt - at,
      ]);
    };
    expect(await check(86_400)).toEqual([[86_400, null]]);
    await lab.importSamples([inWindow(4, 'a', 1)]);
    await lab.sql('update coverage set newest_at = to_timestamp($1)', [at]);
    expect(await check(20)).toEqual([[86_400, 86_400]]);
    // No commit shows that it is silent again.
    await lab.sql('update coverage set newest_at = to_timestamp($1)', [at + 50_000]);
    expect(await check(50_000)).toHaveLength(1);
    await lab.sql('update coverage set newest_at = to_timestamp($1)', [at]);
    expect(await check(100)).toContainEqual([100, null]);
    lab.clock.seconds = T0;
  });
});

it('decides as plain arithmetic does, whenever it runs', { timeout: 60_000 }, async () => {
  const questions = fc.tuple(
    fc.array(rules, { minLength: 1, maxLength: 8 }),
    streams,
    fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(questions, async ([declared, stream, steps]) => {
      day += 86_400;
      await lab.sql('delete from alerts');
      await lab.importSamples([inWindow(0, 'before', 1)]);
      await lab.declare(Object.fromEntries(declared.map((rule, i) => [`rule ${i}`, rule])));
      const lines = stream.flatMap((window, i) =>
        window.map(({ key, bucket, value }) => reading(key, day + i * GRID + bucket * 60, value)),
      );
      // The last window is due only with data beyond its end.
      const all = [...lines, inWindow(stream.length + 1, 'after', 1)];
      for (let fed = 0, step = 0; fed <= stream.length; step += 1) {
        const until = fed + (steps[step % steps.length] ?? 1);
        const part = all.filter(({ ts }) => isWithin(ts, fed, until));
        if (part.length > 0) await lab.importSamples(part);
        await lab.decideAlertsNow();
        fed = until;
      }
      const ends = stream.map((_, i) => windowEnd(i + 1) + day);
      const known = [inWindow(0, 'before', 1), ...all];
      for (const [i, rule] of declared.entries()) {
        const events = (await lab.events(`rule ${i}`)).map(({ alert: _, ...event }) => event);
        expect(events).toEqual(expectedEvents(rule, known, ends));
      }
    }),
    { numRuns: Math.ceil(FUZZ_CASES / 8) },
  );
});

/** Whether a reading is in the windows from `from` to before `until`, counted from 0. */
const isWithin = (ts: number, from: number, until: number): boolean =>
  ts >= T0 + day + from * GRID && ts < T0 + day + until * GRID;
