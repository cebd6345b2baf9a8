import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../web/src/address/address.ts';
import { earlierAt, earlierLine, earlierVariables } from '../../web/src/data/earlier.ts';

const DAY = 86_400;

const WINDOW = { from: 10 * DAY, to: 10 * DAY + 900 };
const CHART = { kind: 'counter', step: 300, bucketSize: 60, window: WINDOW, keys: null } as const;
const A_DAY_EARLIER = parseAddress('?vs=day&probe=p');

const answered = (topper: {
  readonly availableWindow: { readonly from: number; readonly to: number } | null;
  readonly keys?: readonly { readonly series: readonly { at: number; value: number }[] }[];
  readonly series?: readonly { at: number; total: number }[];
}) => ({ context: { counterGroup: { topper: { keys: [], series: null, ...topper } } } });

const then = WINDOW.from - DAY;
const series = [0, 300, 600].map((after) => ({ at: then + after, total: 300 + after }));

describe('the line of an earlier window', () => {
  it('is asked for with the same selection, that much earlier', () => {
    expect(earlierVariables(A_DAY_EARLIER, { ...CHART, keys: ['a', 'b'] })).toMatchObject({
      window: { interval: { from: then, to: then + 900 } },
      filter: { keys: ['a', 'b'] },
      probe: 'p',
      items: 2,
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
    const stored = { from: 0, to: 20 * DAY };
    const line = earlierLine(answered({ availableWindow: stored, series }), CHART, A_DAY_EARLIER);
    expect(line?.times).toEqual([0, 300, 600, 900].map((after) => WINDOW.from + after));
    expect(line?.values).toEqual([1, 2, 3, 3]);
    expect(line && earlierAt(line, WINDOW.from + 300)).toEqual({
      from: then + 300,
      to: then + 600,
      value: 2,
    });
  });

  it('is the sum of the keys that are asked for', () => {
    const ofKey = (value: number) => ({ series: [{ at: then, value }] });
    const availableWindow = { from: 0, to: 20 * DAY };
    const answer = answered({ availableWindow, keys: [ofKey(300), ofKey(600)] });
    const line = earlierLine(answer, { ...CHART, keys: ['a', 'b'] }, A_DAY_EARLIER);
    expect(line?.values).toEqual([3, 0, 0, 0]);
  });

  it('begins where the data begin, or is not there', () => {
    const lineOf = (availableWindow: { from: number; to: number } | null) =>
      earlierLine(answered({ availableWindow, series }), CHART, A_DAY_EARLIER);
    const stored = { from: then + 300, to: 20 * DAY };
    expect(lineOf(stored)?.times).toEqual([300, 600, 900].map((after) => WINDOW.from + after));
    expect(lineOf({ from: then + 900, to: 20 * DAY })).toBeNull();
    expect(lineOf(null)).toBeNull();
  });
});
