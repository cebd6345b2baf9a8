import type { Address } from '../address/address.ts';
import type { BigNumber } from '../format/big-number.ts';
import type { ShownKey } from './shown-key.ts';
import type { ShownToppers } from './shown-toppers.ts';

type Shares = {
  readonly address: Pick<Address, 'key' | 'hidden'>;
  readonly shownKey: Pick<ShownKey, 'asked' | 'window' | 'total'>;
  /** The table, maybe as the answer to another question than the key. */
  readonly shown: ShownToppers | null;
};

/**
 * Returns the total that the share of a key is of, without the hidden keys. null: it is not known,
 * or the key itself is hidden. The total of another window could give a share above 100 %.
 */
export function shareTotal({ address, shownKey, shown }: Shares): BigNumber | null {
  const { key, hidden } = address;
  if (hidden.length === 0) return shownKey.total;
  if (!shown || (key !== null && hidden.includes(key))) return null;
  const isOfTheSame = isSameQuestion(shown, shownKey) && isSameList(shown.asked.hidden, hidden);
  return isOfTheSame ? shown.total : null;
}

const isSameQuestion = (
  { group, meter, asked, table }: ShownToppers,
  { asked: ofKey, window }: Shares['shownKey'],
): boolean =>
  group.guid === ofKey.group &&
  meter.index === ofKey.meter &&
  asked.probe === ofKey.probe &&
  table.window.from === window?.from &&
  table.window.to === window.to;

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));
