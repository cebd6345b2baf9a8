import { isoTime } from '../../domain/time/iso-time.ts';

/** Formats a window with its length. */
export const windowText = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  `${isoTime(from)} to ${isoTime(to)} (${to - from} s)`;
