import { DAY_SECONDS, endOf, START, type TrafficShape } from '../traffic/traffic.ts';
import type { KeyFilter, Question } from './question.ts';

export type Case = {
  readonly window: string;
  readonly variant: Variant;
  readonly question: Question;
};

export const VARIANTS = ['plain', 'filter', 'percentiles'] as const;

export type Variant = (typeof VARIANTS)[number];

/** 13 of the 256 networks 10.x.0.0/16: about 5 % of the keys. */
export const PREFIX: KeyFilter = {
  pattern: '^0A\\.0[0-9A-C]\\.',
  range: { first: '0A.00.', below: '0A.0D.' },
};

const VARIED: Readonly<Record<Variant, Pick<Question, 'filter' | 'ranks'>>> = {
  plain: { filter: null, ranks: [] },
  filter: { filter: PREFIX, ranks: [] },
  percentiles: { filter: null, ranks: [50, 95, 99] },
};

/** The top 100 by bytes over each window: plain, with a filter, with percentiles. */
export function casesOf(shape: TrafficShape): Case[] {
  return windowsOf(shape).flatMap(({ window, from, to }) =>
    VARIANTS.map((variant) => ({
      window,
      variant,
      question: { from, to, meter: 0, maxItems: 100, exclude: null, ...VARIED[variant] },
    })),
  );
}

/** Windows at the end of the data. `whole` only if there is more than a week. */
export function windowsOf(shape: TrafficShape): { window: string; from: number; to: number }[] {
  const to = endOf(shape);
  const week = to - Math.min(shape.days, 7) * DAY_SECONDS;
  const days = Math.min(shape.days, 7);
  return [
    { window: '1h', from: to - 3600, to },
    { window: '24h', from: to - DAY_SECONDS, to },
    { window: `${days}d aligned`, from: week, to },
    // Both ends are inside a one-minute bucket: the first is out, the last is in (decision 18).
    { window: `${days}d ragged`, from: week + 1830, to: to - 1770 },
    ...(shape.days > 7 ? [{ window: 'whole aligned', from: START, to }] : []),
  ];
}

/** The largest question: all data. */
export const wholeWindow = (shape: TrafficShape): Question => ({
  from: START,
  to: endOf(shape),
  meter: 0,
  maxItems: 100,
  filter: null,
  exclude: null,
  ranks: [],
});
