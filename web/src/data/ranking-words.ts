import type { ChangeRanking, Ranking } from '../address/ranking.ts';
import type { MeterChoice } from './choices.ts';
import { addsUp, meterKind, metricName } from './meter-kind.ts';

type ChangeWords = {
  /** Name in the control. */
  readonly name: string;
  /** Which keys are listed and in which order, given the earlier time. */
  readonly note: (then: string) => string;
  /** The predicate that no key meets, given the earlier time. */
  readonly none: (then: string) => string;
  readonly noKey: string;
};

export const CHANGE_WORDS: Readonly<Record<ChangeRanking, ChangeWords>> = {
  growth: {
    name: 'Growth',
    note: (then) => `Keys that have grown since ${then}, the largest growth first.`,
    none: (then) => `has a higher value than in ${then}`,
    noKey: 'No key has grown',
  },
  decline: {
    name: 'Decline',
    note: (then) =>
      `Keys that have declined since ${then}, the largest decline first. Some may have no readings now.`,
    none: (then) => `has a lower value than in ${then}`,
    noKey: 'No key has declined',
  },
  new: {
    name: 'New keys',
    note: (then) => `Keys that have readings now and had none in ${then}, the largest first.`,
    none: (then) => `has readings now and had none in ${then}`,
    noKey: 'There are no new keys',
  },
};

/** Returns the name of a key's value over a window: its volume, its mean … */
export const valueName = ({ type }: Pick<MeterChoice, 'type'>): string =>
  addsUp(meterKind(type)) ? 'Volume' : metricName(type);

/** Formats a percentile: `50th`, `99.9th`, `1st`. */
export function ordinalOf(percentile: number): string {
  const isTeen = Math.floor((percentile % 100) / 10) === 1;
  const ending = isTeen ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[percentile % 10] ?? 'th');
  return `${percentile}${ending}`;
}

/** Returns the ranking as part of a sentence; null for the default, by value. */
export function rankedBy(ranking: Ranking): string | null {
  switch (ranking.by) {
    case 'metric':
      return null;
    case 'peak':
      return 'ranked by peak';
    case 'percentile':
      return `ranked by ${ordinalOf(ranking.percentile)} percentile`;
    case 'growth':
    case 'decline':
      return `ranked by ${ranking.by}`;
    case 'new':
      return 'new keys only';
    default:
      return ranking satisfies never;
  }
}
