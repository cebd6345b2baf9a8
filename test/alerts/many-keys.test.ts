import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { group, meter } from '../support/lab/lab.ts';
import type { Line } from '../support/lab/service.ts';
import { type AlertLab, GRID, GROUP, startAlertLab, windowEnd } from './alert-lab.ts';
import { expectedEvents } from './expected-events.ts';

const RULE = { window_seconds: GRID, for_windows: 1, clear_windows: 1, max_keys: 3 };
const NEW = { ...RULE, when: { key_new_above: 10 } };
const GROWN = { ...RULE, when: { key_grows_by: 10 } };

/** The values of meters 0 and 1 in the n-th window. */
const inWindow = (n: number, key: string, value: number, gauge: number): Line => ({
  group: GROUP,
  key,
  ts: windowEnd(n) - 60,
  values: { 0: value, 1: gauge },
});

/** Many keys that are always large. In the fourth window, they all grow, too. */
const largeIn = (n: number): Line[] =>
  Array.from({ length: LIMITS.alertKeys + 50 }, (_, i) => {
    const value = n === 4 ? 2000 : 1000;
    return inWindow(n, `large ${i}`, value, value);
  });

const WINDOWS: readonly Line[][] = [
  largeIn(1),
  [...largeIn(2), inWindow(2, 'grown', 1, -500)],
  [...largeIn(3), inWindow(3, 'grown', 60, -440), inWindow(3, 'new', 50, -600)],
  [...largeIn(4), inWindow(4, 'grown', 200, -300), inWindow(4, 'new', 50, -600)],
  [...largeIn(5), inWindow(5, 'grown', 200, -300)],
  [inWindow(6, 'large 1', 1000, 1000)],
];
const LINES = WINDOWS.flat();
/** Those that are due with data in the window after the last of them. */
const ENDS = [2, 3, 4, 5].map(windowEnd);

describe('of more large keys than a rule compares', { timeout: 60_000 }, () => {
  let lab: AlertLab;

  beforeAll(async () => {
    lab = await startAlertLab({ groups: [group(1, { meters: [meter(0, 2), meter(1, 11)] })] });
    for (const [i, lines] of WINDOWS.entries()) {
      await lab.importSamples(lines);
      if (i === 0) await lab.declare({ new: NEW, grown: GROWN, gauge: { ...GROWN, meter: 1 } });
      await lab.decideAlertsNow();
    }
  }, 60_000);
  afterAll(() => lab.close());

  const events = async (alert: string) =>
    (await lab.events(alert)).map(({ alert: _, ...event }) => event);

  it('none hides a small one that is new', async () => {
    const found = await events('new');
    expect(found).toEqual(expectedEvents(NEW, LINES, ENDS));
    expect(found).toEqual([
      { key: 'new', startedAt: ENDS[1], endedAt: ENDS[2], value: 50, peakValue: 50 },
    ]);
  });

  it('none hides a small one that grew, or that grows on among them', async () => {
    const found = await events('grown');
    expect(found).toEqual(expectedEvents(GROWN, LINES, ENDS));
    expect(found).toContainEqual({
      key: 'grown',
      startedAt: ENDS[1],
      endedAt: ENDS[3],
      value: 59,
      peakValue: 140,
    });
  });

  it('none hides a gauge below 0 that grew', async () => {
    expect(await events('gauge')).toContainEqual({
      key: 'grown',
      startedAt: ENDS[1],
      endedAt: ENDS[3],
      value: 60,
      peakValue: 140,
    });
  });
});
