import type { EarlierTrafficQuery } from '../../../generated/operations.ts';
import type { Address } from '../../address/address.ts';
import { type BigNumber, minus, toNumber } from '../../format/big-number.ts';
import { changeOf } from '../../format/change.ts';
import { joined } from '../../format/quantity.ts';
import type { Span } from '../choices.ts';
import { earlierGap, earlierSpan } from '../earlier.ts';
import { type Terms, wholeQuantity } from '../row-figures.ts';
import type { EarlierSpans } from './overview-question.ts';

const DAY = 86_400;
const WEEK = 7 * DAY;

/** An earlier time that a window is compared with, and its name in a sentence. */
export type EarlierTime = {
  readonly span: Span;
  readonly name: string;
  readonly compare: Address['compare'];
};

/** Returns one or two times: a day and a week earlier, or just before if the window is longer. */
export function earlierTimes(window: Span): readonly [EarlierTime, EarlierTime?] {
  const at = (ago: number, name: string, compare: Address['compare']) => ({
    span: earlierSpan(window, ago),
    name,
    compare,
  });
  const week = at(WEEK, 'a week earlier', 'week');
  const seconds = window.to - window.from;
  if (seconds <= DAY) return [at(DAY, 'a day earlier', 'day'), week];
  return seconds <= WEEK
    ? [week]
    : [at(seconds, 'in the time of the same length before', 'before')];
}

/** Returns the time whose line is drawn: as in Top keys, a week earlier if that is chosen. */
export const drawnTime = (
  [first, second]: ReturnType<typeof earlierTimes>,
  { compare }: Pick<Address, 'compare'>,
): EarlierTime => (compare === 'week' && second ? second : first);

export const earlierSpans = (
  times: ReturnType<typeof earlierTimes>,
  address: Pick<Address, 'compare'>,
): EarlierSpans => ({
  first: times[0].span,
  second: (times[1] ?? times[0]).span,
  drawn: drawnTime(times, address).span,
});

export type EarlierTraffic = NonNullable<NonNullable<EarlierTrafficQuery['context']>['traffic']>;

export type Comparison = {
  readonly direction: ReturnType<typeof changeOf>['direction'];
  /** `12 % more than a day earlier`. */
  readonly text: string;
  /** `+19.5 GB on 162 GB`; null if there is nothing to compare. */
  readonly detail: string | null;
  /** How top keys are compared with the same time. */
  readonly compare: Address['compare'];
};

type Compared = {
  readonly now: BigNumber;
  /** null: there are no readings of that time. */
  readonly earlier: BigNumber | null;
  readonly time: EarlierTime;
  /** The time for which there is data. */
  readonly stored: Span | null;
  readonly terms: Terms;
};

/** Compares an amount with that of an earlier time, if all of that time is stored. */
export function comparison({ now, earlier, time, stored, terms }: Compared): Comparison {
  const { span, name, compare } = time;
  const gap = earlierGap({ earlier: span, stored });
  if (earlier === null || gap) {
    const text =
      earlier === null || gap?.isWhole
        ? `No comparison: nothing is stored for the time ${name}`
        : `No comparison: the time ${name} is only partly stored`;
    return { direction: 'unknown', text, detail: null, compare };
  }
  const changed = minus(now, earlier);
  const changeRatio = toNumber(earlier) === 0 ? null : toNumber(changed) / toNumber(earlier);
  const { direction, text } = changeOf(
    { metric: earlier, changeRatio, window: span },
    stored?.from ?? null,
  );
  if (direction === 'new') {
    return { direction, text: `Nothing was counted ${name}`, detail: null, compare };
  }
  const sign = direction === 'down' ? '\u2212' : '+';
  const difference = joined(
    wholeQuantity(direction === 'down' ? minus(earlier, now) : changed, terms),
  );
  const detail = `${sign}${difference} on ${joined(wholeQuantity(earlier, terms))}`;
  return { direction, text: sentence(direction, text, name), detail, compare };
}

function sentence(direction: Comparison['direction'], change: string, name: string): string {
  if (direction === 'same') return `As much as ${name}`;
  if (change.endsWith('×')) return `${change} as much as ${name}`;
  return `${change.slice(1)} ${direction === 'up' ? 'more' : 'less'} than ${name}`;
}
