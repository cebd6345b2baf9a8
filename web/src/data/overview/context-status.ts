import type { AlertsQuery } from '../../../generated/operations.ts';
import { allDigits, toNumber } from '../../format/big-number.ts';
import { counted } from '../../format/counted.ts';

type AnsweredStatus = NonNullable<AlertsQuery['context']>;

export type HeardExporter = NonNullable<AnsweredStatus['exporters']>[number];

/** How fresh the data of a context are, and who sends them. */
export type ContextStatus = {
  /** The end of the newest data; null: there are none. */
  readonly newest: number | null;
  /** null: the server does not say. */
  readonly exporters: readonly HeardExporter[] | null;
};

/** Returns an age in words, by its largest unit. */
export function ageText(seconds: number): string {
  if (seconds < 60) return 'less than a minute ago';
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${counted(minutes, 'minute')} ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${counted(hours, 'hour')} ago`;
  const days = Math.floor(hours / 24);
  return `${days < 730 ? counted(days, 'day') : counted(Math.floor(days / 365.25), 'year')} ago`;
}

/** More than one lost of a thousand makes sums visibly too low. */
const LOSSY_SHARE = 0.001;

/** Returns what is wrong with an exporter, in words; none: nothing is. */
export function exporterFaults(
  { lastSeen, flows, lost, doubts }: HeardExporter,
  { now, patience }: { readonly now: number; readonly patience: number },
): readonly string[] {
  const silence = now - lastSeen;
  const isLossy = toNumber(lost) > LOSSY_SHARE * toNumber(flows);
  return [
    ...(silence > patience ? [`last heard ${ageText(silence)}`] : []),
    ...(isLossy ? [`lost ${allDigits(lost)} of what it sent`] : []),
    ...doubts,
  ];
}
