import { z } from 'zod';
import type { BigNumber, Interval } from './graph.ts';
import type { KnownMeter } from './names/known-context.ts';
import {
  amount,
  keyOf,
  keyShape,
  keyText,
  type NamedKey,
  windowOf,
  windowShape,
} from './shapes.ts';
import { amountText, rateText, shareText } from './text/amount.ts';
import { addsUp, isRate, ruleOf } from './text/meter-rules.ts';
import { windowText } from './text/window-text.ts';

/** Fields that the answers of the tools topper and drilldown have in common. */
export const TOPPER_FIELDS = `
  window { from to }
  total others othersMatching keyCount
  availableWindow { from to }`;

export const KEY_FIELDS = 'rank key readable label metric share averageRate';

export const PREVIOUS_FIELDS = 'previous(ago: $previousAgo) { metric change changeRatio rank }';

export type TopperPrevious = {
  /** null, as is the change: nothing of that window is available. */
  readonly metric: BigNumber | null;
  readonly change: BigNumber | null;
  readonly changeRatio: number | null;
  readonly rank: number | null;
};

export type TopperKey = NamedKey & {
  readonly rank: number;
  readonly metric: BigNumber;
  readonly share: number | null;
  readonly averageRate: number | null;
  readonly rankValue?: BigNumber;
  readonly previous?: TopperPrevious | null;
};

export type TopperAnswer = {
  readonly window: Interval;
  readonly total: BigNumber;
  readonly others: BigNumber;
  readonly othersMatching: BigNumber;
  readonly keyCount: number;
  readonly availableWindow: Interval | null;
  readonly keys: readonly TopperKey[];
  /** The window that the keys are compared with, if they are. */
  readonly previousWindow?: Interval | null;
};

export const averageRateShape = z
  .number()
  .optional()
  .describe('Per second, over the part of the window that has data.');

const previousShape = z.object({
  metric: amount().nullable().describe('null if there are no data of that window.'),
  change: amount().nullable().describe('null if there are no data of that window.'),
  changeRatio: z.number().nullable().describe('null if the metric then is 0.'),
  rank: z.int().nullable().describe('null without a reading then.'),
});

/** The shape of a list of keys and their totals. */
export const topperShape = {
  window: windowShape,
  keys: z.array(
    z.object({
      rank: z.int(),
      ...keyShape,
      metric: amount(),
      share: z
        .number()
        .optional()
        .describe('Part of `total`, 0 to 1; absent if values do not add up.'),
      averageRate: averageRateShape,
      rankValue: amount().optional().describe('What it is ranked by, if that is not the metric.'),
      previous: previousShape.optional(),
    }),
  ),
  keyCount: z.int().describe('Keys with a reading that pass the filter, listed or not.'),
  total: amount().describe('Of the whole group, whatever the filter.'),
  others: amount().describe('Of all keys that are not listed.'),
  othersMatching: amount().describe('Of those not listed, what passes the filter.'),
  previousWindow: windowShape.optional().describe('Only if keys are compared with it.'),
  availableWindow: windowShape
    .nullable()
    .optional()
    .describe('The time range of the data, if no key is listed.'),
};

export function topperOf(topper: TopperAnswer) {
  const { window, keys, keyCount, total, others, othersMatching } = topper;
  const { previousWindow, availableWindow } = topper;
  return {
    window: windowOf(window),
    keys: keys.map(keyOfTopper),
    keyCount,
    total,
    others,
    othersMatching,
    ...(previousWindow && { previousWindow: windowOf(previousWindow) }),
    ...(keys.length === 0 && { availableWindow: availableWindow && windowOf(availableWindow) }),
  };
}

function keyOfTopper({ rank, metric, share, averageRate, rankValue, previous, ...key }: TopperKey) {
  return {
    rank,
    ...keyOf(key),
    metric,
    ...(share !== null && { share }),
    ...(averageRate !== null && { averageRate }),
    ...(rankValue !== undefined && { rankValue }),
    ...(previous && { previous: changeOf(previous) }),
  };
}

const changeOf = ({ metric, change, changeRatio, rank }: TopperPrevious) => ({
  metric,
  change,
  changeRatio,
  rank,
});

/** Returns the lines below a headline: the window, one line per key, and the totals. */
export function topperLines(topper: TopperAnswer, meter: KnownMeter): string[] {
  const { units, type } = meter;
  const { window, keys, keyCount, total, others, previousWindow: before } = topper;
  const textOf = (value: BigNumber) => amountText(value, units);
  const ending = addsUp(type)
    ? `the listed and the others (${textOf(others)}) add up to the total: ${textOf(total)}`
    : `all others: ${textOf(others)}; the whole group: ${textOf(total)}`;
  return [
    `window ${windowText(window)}${before ? `, compared with ${windowText(before)}` : ''}`,
    ...keys.map((key) => lineOf(key, meter)),
    ...(keys.length === 0 ? [nothingText(topper)] : []),
    `${keys.length} of ${keyCount} keys; ${ending}`,
    // It has the unit of an average, so a reader could take it for one.
    ...(isRate(type) ? [`each metric is a ${ruleOf(type)}`] : []),
  ];
}

function lineOf(key: TopperKey, meter: KnownMeter): string {
  const { units } = meter;
  const { rank, metric, share, averageRate, rankValue, previous } = key;
  const parts = [
    amountText(metric, units),
    ...(share === null ? [] : [shareText(share)]),
    ...(averageRate === null ? [] : [averageText(averageRate, meter)]),
    ...(rankValue === undefined ? [] : [`ranked by ${amountText(rankValue, units)}`]),
    ...(previous ? [previousText(previous, units)] : []),
  ];
  return `${rank}. ${keyText(key)}: ${parts.join(', ')}`;
}

/** A rate has the same unit as its metric, so its average must be called one. */
const averageText = (averageRate: number, meter: KnownMeter): string =>
  `${isRate(meter.type) ? 'on average ' : ''}${rateText(averageRate, meter)}`;

function previousText({ metric, change, changeRatio }: TopperPrevious, units: string): string {
  if (metric === null || change === null) return 'before: no data of that window';
  // If the earlier value is negative, a smaller one has a positive ratio.
  const ratio = changeRatio === null ? '' : `, ${signed(shareText(changeRatio))}`;
  return `before ${amountText(metric, units)} (${signed(amountText(change, units))}${ratio})`;
}

const signed = (number: string): string => (number.startsWith('-') ? number : `+${number}`);

/** Explains an empty list of keys. */
function nothingText({ window, availableWindow: data, total }: TopperAnswer): string {
  if (!data) return 'no key: the group has no data';
  if (String(total) !== '0') return 'no key qualifies, though the group has readings in the window';
  // Another window need not help: the group has data in this one.
  if (window.from < data.to && data.from < window.to)
    return 'no such key has a reading in the window';
  return `no key has a reading in the window; data are from ${windowText(data)}`;
}
