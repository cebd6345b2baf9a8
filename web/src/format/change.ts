import { type BigNumber, toNumber } from './big-number.ts';

export type Change = {
  readonly text: string;
  readonly direction: 'up' | 'down' | 'same' | 'new' | 'unknown';
};

type Previous = {
  readonly metric: BigNumber;
  readonly changeRatio: number | null;
  readonly window: { readonly from: number };
};

/**
 * How a key did compared to before. Where what came before is not stored as a whole nothing can be
 * said: half a window always looks like growth.
 */
export function changeOf(previous: Previous | null, storedFrom: number | null): Change {
  if (!previous || storedFrom === null || previous.window.from < storedFrom) {
    return { text: '–', direction: 'unknown' };
  }
  if (previous.changeRatio === null || toNumber(previous.metric) === 0) {
    return { text: 'new', direction: 'new' };
  }
  const ratio = previous.changeRatio;
  if (Math.abs(ratio) < 0.0005) return { text: '0 %', direction: 'same' };
  // So many times as much as before, be the growth one less.
  if (ratio >= 9.995) return { text: `${Math.round(ratio + 1)} ×`, direction: 'up' };
  return ratio > 0
    ? { text: `+${percent(ratio)}`, direction: 'up' }
    : { text: `\u2212${percent(-ratio)}`, direction: 'down' };
}

const percent = (ratio: number): string => `${(ratio * 100).toFixed(ratio < 0.1 ? 1 : 0)} %`;
