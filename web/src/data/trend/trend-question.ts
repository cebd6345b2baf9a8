import type { TrendQueryVariables } from '../../../generated/operations.ts';
import type { Address } from '../../address/address.ts';
import { windowInput } from '../../address/window-choice.ts';
import { type ContextChoice, groupOf } from '../choices.ts';
import { filterInput, NO_GROUP, nodeOf, windowSeconds } from '../questions.ts';
import { chooseEvery } from './choose-every.ts';

/** Numbers of keys per step that the page offers: more would need too many rows. */
export const TREND_ITEMS: readonly number[] = [10, 20];

/** Number of keys in the map and in its table: those after them were listed in few steps. */
export const MOST_ROWS = 40;

/** Number of keys whose order in the whole window is known. */
const RANKED = 200;

export const trendItems = ({ items }: Pick<Address, 'items'>): number =>
  Math.min(items, Math.max(...TREND_ITEMS));

/** Returns the seconds of a step: as chosen, or such that the steps fit the window. */
const everyOf = (address: Address, choice: ContextChoice | null): number =>
  address.step ?? chooseEvery(windowSeconds(address, choice), groupOf(choice, address.group));

/** A trend is of keys: networks that are hidden elsewhere mean nothing here. */
export const hiddenInTrend = ({ prefix, hidden }: Pick<Address, 'prefix' | 'hidden'>) =>
  prefix ? [] : hidden;

export const trendVariables = (
  address: Address,
  choice: ContextChoice | null,
): TrendQueryVariables => {
  const hidden = hiddenInTrend(address);
  return {
    ...nodeOf(address),
    group: address.group ?? NO_GROUP,
    meter: address.meter ?? 0,
    window: windowInput(address.window),
    timeZone: address.zone ?? 'UTC',
    probe: address.probe,
    filter: filterInput(address.filters, hidden),
    every: everyOf(address, choice),
    items: trendItems(address),
    rows: RANKED,
    withMatching: address.filters.length > 0,
    hidden,
    withHidden: hidden.length > 0,
  };
};
