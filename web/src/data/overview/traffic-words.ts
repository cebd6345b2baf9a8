import type { MirrorArea, MirrorData } from '../../chart/mirror-options.ts';
import type { BigNumber } from '../../format/big-number.ts';
import { stepAt } from '../chart-data.ts';
import type { ShownTraffic, TrafficChart } from './shown-overview.ts';

/** What the parts of the traffic are called. */
type TrafficWords = {
  readonly title: string;
  /** What the total is a sum of, if that needs a word. */
  readonly note: string | null;
  readonly into: string;
  readonly outOf: string;
  readonly rest: string;
};

export function trafficWords({ subject }: Pick<ShownTraffic, 'subject'>): TrafficWords {
  const { of, group, meter } = subject;
  switch (of) {
    case 'flows':
      return {
        title: 'Traffic',
        note: null,
        into: 'Into home',
        outOf: 'Out of home',
        rest: 'Within home and transit',
      };
    case 'hosts':
      return {
        title: 'Sum of the hosts that you see',
        note: 'Traffic between two of these hosts counts for both.',
        into: 'Received',
        outOf: 'Sent',
        rest: 'Neither',
      };
    case 'group':
      return {
        title: `${group.name} by ${meter.name}`,
        note: meter.description || null,
        into: '',
        outOf: '',
        rest: '',
      };
    default:
      return of satisfies never;
  }
}

/** The same chart at an earlier time, and what that time is called. */
export type EarlierChart = {
  readonly chart: TrafficChart;
  readonly name: string;
  readonly ago: number;
};

/** Returns what is drawn: what comes in above the axis, and what goes out below. */
export function trafficMirror(traffic: ShownTraffic, earlier: EarlierChart | null): MirrorData {
  const { chart } = traffic;
  const line = earlier && shifted(earlier, chart);
  return {
    times: chart.times,
    ends: chart.ends,
    areas: trafficParts(traffic),
    // Nothing may be stored of that time.
    earlier:
      earlier && line?.above.some((rate) => rate !== null)
        ? { ...line, label: sentenceCase(earlier.name), ago: earlier.ago }
        : null,
  };
}

/** A part of the traffic: its area, and how much it is over the window. */
type TrafficPart = MirrorArea & { readonly amount: BigNumber };

/** Returns the directions, or the whole if there are none. */
export function trafficParts(traffic: ShownTraffic): readonly TrafficPart[] {
  const { chart, sides, total } = traffic;
  const { title, into, outOf, rest } = trafficWords(traffic);
  if (!sides || !chart.sides) {
    return [{ label: title, values: chart.all, isBelow: false, color: 0, amount: total }];
  }
  const { sides: rates } = chart;
  const inner = { label: rest, values: rates.rest, isBelow: false, color: -1, amount: sides.rest };
  return [
    { label: into, values: rates.into, isBelow: false, color: 0, amount: sides.into },
    ...(BigInt(sides.rest) > 0n ? [inner] : []),
    { label: outOf, values: rates.outOf, isBelow: true, color: 1, amount: sides.outOf },
  ];
}

/** Returns the whole of each side in the earlier step that corresponds to each step, if any. */
function shifted({ chart, ago }: EarlierChart, { times }: TrafficChart) {
  const { sides } = chart;
  const above = sides
    ? sides.into.map((rate, index) => rate + (sides.rest[index] ?? 0))
    : chart.all;
  const at = (values: readonly number[]) =>
    times.map((start) => {
      const step = stepAt(chart.times, start - ago);
      return step === null ? null : (values[step] ?? null);
    });
  return { above: at(above), below: sides && at(sides.outOf) };
}

export const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
