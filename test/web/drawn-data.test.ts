import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../web/src/address/address.ts';
import { drawnData, layerAt, meanOf, REST } from '../../web/src/data/drawn-data.ts';
import { restOf, showsRest } from '../../web/src/data/top-layers.ts';

const CHART = {
  times: [0, 60, 180],
  ends: [60, 180],
  step: 120,
  lines: [
    { key: 'a', label: 'A', values: [1, 2, 2] },
    { key: 'b', label: 'B', values: [3, 2, 2] },
  ],
  others: [4, 0, 0],
};

const LOOK = { form: 'stack', rest: 'Others', only: null, colors: new Map([['b', 7]]) } as const;

describe('the layers of a chart', () => {
  it('are the keys, each in its colour, and the rest', () => {
    const { layers } = drawnData(CHART, LOOK);
    expect(layers.map(({ key, color }) => [key, color])).toEqual([
      ['a', 0],
      ['b', 7],
      [REST, -1],
    ]);
    expect(drawnData(CHART, { ...LOOK, rest: null }).layers).toHaveLength(2);
  });

  it('are parts of their sum at each time, also if only one is drawn', () => {
    const [layer] = drawnData(CHART, { ...LOOK, form: 'share', only: 'b' }).layers;
    expect(layer?.values).toEqual([3 / 8, 0.5, 0.5]);
  });

  it('are all drawn if the only one is not there', () => {
    expect(drawnData(CHART, { ...LOOK, only: 'gone' }).layers).toHaveLength(3);
  });

  it.each([
    ['stack', 0.5, 'a'],
    ['stack', 3.9, 'b'],
    ['stack', 7.9, REST],
    ['stack', 8.1, undefined],
    ['lines', 0.5, 'a'],
    ['lines', 2.9, 'b'],
  ] as const)('of a %s are found at height %f: %s', (form, height, key) => {
    expect(layerAt(drawnData(CHART, { ...LOOK, form }), 0, height)?.key).toBe(key);
  });

  it('have means over time, not over steps', () => {
    const data = drawnData(CHART, LOOK);
    expect(data.layers.map((layer) => meanOf(layer, data))).toEqual([
      (60 + 240) / 180,
      (180 + 240) / 180,
      240 / 180,
    ]);
  });
});

describe('the rest of a chart', () => {
  const keys = [10, 6, 4].map((metric) => ({ metric }));
  const restWith = (others: number, charted: number) =>
    restOf({ table: { keys }, chart: { lines: keys.slice(0, charted) }, others } as never);

  it('is what the table calls others, and the keys that the chart has no layer for', () => {
    expect(restWith(20, 3)).toEqual({ name: 'Others', amount: 20, share: 0.5 });
    expect(restWith(20, 2)).toEqual({ name: 'Others and key 3', amount: 24, share: 0.6 });
  });

  it('is left out if it is most of the chart, unless the address says otherwise', () => {
    const shows = (search: string, others: number) =>
      showsRest(parseAddress(search), restWith(others, 3));
    expect([shows('', 20), shows('', 21)]).toEqual([true, false]);
    expect([shows('?others=off', 1), shows('?others=on', 99)]).toEqual([false, true]);
  });
});
