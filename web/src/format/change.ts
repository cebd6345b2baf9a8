import { type BigNumber, toNumber } from './big-number.ts';

export type Change = {
  readonly text: string;
  readonly direction: 'up' | 'down' | 'same' | 'new' | 'unknown';
};

type Previous = {
  readonly metric: BigNumber | null;
  readonly changeRatio: number | null;
  readonly window: { readonly from: number };
};

/**
 * Returns how a key changed compared with the previous window. If that window is not fully stored,
 * the change is unknown: half a window always looks like growth.
 */
export function changeOf(previous: Previous | null, storedFrom: number | null): Change {
  const isUnknown = storedFrom === null || (previous?.window.from ?? 0) < storedFrom;
  if (!previous || previous.metric === null || isUnknown) {
    return { text: '–', direction: 'unknown' };
  }
  if (previous.changeRatio === null || toNumber(previous.metric) === 0) {
    return { text: 'new', direction: 'new' };
  }
  const ratio = previous.changeRatio;
  if (Math.abs(ratio) < 0.0005) return { text: '0 %', direction: 'same' };
  // Large growth is shown as a multiple of the previous value, which is the growth plus one.
  if (ratio >= 9.995) return { text: `${Math.round(ratio + 1)} ×`, direction: 'up' };
  return ratio > 0
    ? { text: `+${percent(ratio)}`, direction: 'up' }
    : { text: `\u2212${percent(-ratio)}`, direction: 'down' };
}

const percent = (ratio: number): string => `${(ratio * 100).toFixed(ratio < 0.1 ? 1 : 0)} %`;
