import type { ChartForm } from '../address/address.ts';
import type { ChartData, ChartLine } from './chart-data.ts';

/** The id of the layer of all keys that have no layer of their own: no raw key is empty. */
export const REST = '';

/** The colour of that layer, which is none of the keys'. */
const REST_COLOR = -1;

export type ChartLayer = ChartLine & {
  /** Number of its colour. */
  readonly color: number;
};

/** What a chart draws: its layers from the bottom up, as an area on those below, or as lines. */
export type DrawnData = Pick<ChartData, 'times' | 'ends' | 'step'> & {
  readonly form: ChartForm;
  readonly layers: readonly ChartLayer[];
};

type Drawing = {
  readonly form: ChartForm;
  /** The name of the layer of all other keys; null: it is left out. */
  readonly rest: string | null;
  /** The id of the only layer that is drawn; null: all are. */
  readonly only: string | null;
  /** Colours by raw key; without one, a line has that of its place. */
  readonly colors: ReadonlyMap<string, number>;
};

export function drawnData(
  { times, ends, step, lines, others }: ChartData,
  { form, rest, only, colors }: Drawing,
): DrawnData {
  const ofKeys = lines.map((line, index) => ({ ...line, color: colors.get(line.key) ?? index }));
  const ofRest = { key: REST, label: rest ?? '', color: REST_COLOR, values: others ?? [] };
  const all: readonly ChartLayer[] = others && rest !== null ? [...ofKeys, ofRest] : ofKeys;
  const layers = form === 'share' ? asShares(all) : all;
  const chosen = layers.filter(({ key }) => key === only);
  return { times, ends, step, form, layers: chosen.length > 0 ? chosen : layers };
}

/** Divides each value by the sum of the layers at that time. */
function asShares(layers: readonly ChartLayer[]): readonly ChartLayer[] {
  const sumAt = (index: number) =>
    layers.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
  return layers.map((layer) => ({
    ...layer,
    values: layer.values.map((value, index) => (value ?? 0) / (sumAt(index) || 1)),
  }));
}

/** Returns the mean of a layer over the time of the chart; null if it has no values. */
export function meanOf({ values }: ChartLayer, { times }: Pick<DrawnData, 'times'>): number | null {
  let sum = 0;
  let seconds = 0;
  for (const [index, value] of values.slice(0, -1).entries()) {
    if (value === null) continue;
    const length = (times[index + 1] ?? 0) - (times[index] ?? 0);
    sum += value * length;
    seconds += length;
  }
  return seconds === 0 ? null : sum / seconds;
}

/** Returns the layer at a height of a step: the area that contains it, or the nearest line. */
export function layerAt(
  { layers, form }: DrawnData,
  step: number,
  height: number,
): ChartLayer | null {
  const valueIn = (layer: ChartLayer) => layer.values[step] ?? null;
  if (form === 'lines') {
    const distance = (layer: ChartLayer) => Math.abs((valueIn(layer) ?? Infinity) - height);
    const near = layers.filter((layer) => valueIn(layer) !== null);
    return near.reduce<ChartLayer | null>(
      (best, each) => (best === null || distance(each) < distance(best) ? each : best),
      null,
    );
  }
  let top = 0;
  return (
    layers.find((layer) => {
      top += valueIn(layer) ?? 0;
      return height >= 0 && height < top;
    }) ?? null
  );
}
