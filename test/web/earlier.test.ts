import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../web/src/address/address.ts';
import { earlierAt, earlierLine, earlierVariables } from '../../web/src/data/earlier.ts';

const DAY = 86_400;

const WINDOW = { from: 10 * DAY, to: 10 * DAY + 900 };
const CHART = {
  kind: 'counter',
  step: 300,
  bucketSize: 60,
  window: WINDOW,
  of: { group: null, probe: 'p', meter: 0, prefix: null },
  filter: null,
} as const;
const A_DAY_EARLIER = parseAddress('?vs=day');

const then = WINDOW.from - DAY;
const series = [0, 300, 600].map((after) => ({ at: then + after, value: 300 + after }));

const answered = (availableWindow: { readonly from: number; readonly to: number } | null) => ({
  context: { counterGroup: { topper: { availableWindow, matching: { series } } } },
});

describe('the line of an earlier window', () => {
  it('is asked for with the same selection, that much earlier', () => {
    expect(
      earlierVariables(A_DAY_EARLIER, { ...CHART, filter: { keys: ['a', 'b'] } }),
    ).toMatchObject({
      window: { interval: { from: then, to: then + 900 } },
      filter: { keys: ['a', 'b'] },
      probe: 'p',
      step: 300,
    });
    expect(earlierVariables(A_DAY_EARLIER, { ...CHART, window: { from: 9, to: 99 } })).toBeNull();
  });

  it('is asked for seldom while the window moves on with the data', () => {
    const asked = (minute: number) => {
      const window = { from: WINDOW.from + 60 * minute, to: WINDOW.from + DAY + 60 * minute };
      return JSON.stringify(earlierVariables(A_DAY_EARLIER, { ...CHART, window })?.window);
    };
    const minutes = Array.from({ length: 24 * 60 }, (_, minute) => asked(minute));
    expect(new Set(minutes).size).toBeLessThanOrEqual(17);
  });

  it('has the rates of that time, at the times of the chart', () => {
    const line = earlierLine(answered({ from: 0, to: 20 * DAY }), CHART, A_DAY_EARLIER);
    expect(line?.times).toEqual([0, 300, 600, 900].map((after) => WINDOW.from + after));
    expect(line?.values).toEqual([1, 2, 3, 3]);
    expect(line && earlierAt(line, WINDOW.from + 300)).toEqual({
      from: then + 300,
      to: then + 600,
      value: 2,
    });
  });

  it('begins where the data begin, or is not there', () => {
    const lineOf = (availableWindow: { from: number; to: number } | null) =>
      earlierLine(answered(availableWindow), CHART, A_DAY_EARLIER);
    const stored = { from: then + 300, to: 20 * DAY };
    expect(lineOf(stored)?.times).toEqual([300, 600, 900].map((after) => WINDOW.from + after));
    expect(lineOf({ from: then + 900, to: 20 * DAY })).toBeNull();
    expect(lineOf(null)).toBeNull();
  });
});
