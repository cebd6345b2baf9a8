import type {
  KeyFilterInput,
  KeyPanelQueryVariables,
  TopKeysQueryVariables,
} from '../../generated/operations.ts';
import { type Address, ITEMS } from '../address/address.ts';
import { type Filter, textsOf } from '../address/filters.ts';
import { windowInput } from '../address/window-choice.ts';
import { slicesVariables } from './archived-slices.ts';
import { type ContextChoice, groupOf, spanOf } from './choices.ts';
import { chooseStep } from './choose-step.ts';
import { rankingVariables } from './ranking-variables.ts';

/** Number of keys that a chart has colours for. */
const CHARTED = 10;

/** Number of keys that a drill-down lists. */
export const DRILLED = 8;

/** Asked for when no group is known: none has this id, so that the rest is still answered. */
export const NO_GROUP = '{00000000-0000-0000-0000-000000000000}';

/** Number of pairs in a picture of flows, if the address asks for fewer. */
const LEAST_FLOWS = 20;

const DAY = 86_400;

/** Returns how many keys may be listed. */
export const offeredItems = ({ view }: Pick<Address, 'view'>): readonly number[] =>
  ITEMS.filter((count) => view !== 'flows' || count >= LEAST_FLOWS);

/** Returns how many keys are listed: as many as the address says, or the fewest offered. */
export const itemsOf = (address: Pick<Address, 'view' | 'items'>): number =>
  Math.max(address.items, offeredItems(address)[0] ?? 0);

/**
 * Returns the seconds between a window and the one it is compared with; null: the one just before.
 */
export const agoOf = ({ compare }: Pick<Address, 'compare'>): number | null =>
  ({ before: null, day: DAY, week: 7 * DAY })[compare];

export const nodeOf = ({ context, node, fromDr }: Address) => ({
  context: context ?? '',
  node,
  fromDr,
});

/** Returns the seconds between a chart's points, once the group is known. */
export function stepOf(address: Address, choice: ContextChoice | null): number | null {
  return chooseStep(windowSeconds(address, choice), groupOf(choice, address.group));
}

const UNKNOWN = { from: 0, to: 30 * DAY } as const;

/** Returns the length of a window before it is requested; an upper limit if it is not known. */
export function windowSeconds(address: Address, choice: ContextChoice | null): number {
  const { window } = address;
  if (window.kind === 'recent') return window.seconds;
  if (window.kind === 'interval') return window.to - window.from;
  if (window.name === 'all') {
    const { from, to } = spanOf(choice, address) ?? choice?.totalWindow ?? UNKNOWN;
    return to - from;
  }
  // Today counts as a whole day, and a topper bucket as an hour.
  return window.name === 'latest' ? 3600 : DAY;
}

/** Returns the variables that all views of one group and window share. */
function windowOf(address: Address, choice: ContextChoice | null) {
  return {
    ...nodeOf(address),
    group: address.group ?? NO_GROUP,
    meter: address.meter ?? 0,
    window: windowInput(address.window),
    timeZone: address.zone ?? 'UTC',
    probe: address.probe,
    step: stepOf(address, choice),
    ago: agoOf(address),
  };
}

export function topVariables(
  address: Address,
  choice: ContextChoice | null,
): TopKeysQueryVariables {
  return {
    ...windowOf(address, choice),
    ...rankingVariables(address, agoOf(address)),
    prefix: address.prefix,
    filter: filterInput(address.filters, address.hidden),
    items: itemsOf(address),
    charted: Math.min(CHARTED, address.items),
    ...slicesVariables(address, choice),
    withMatching: address.filters.length > 0,
  };
}

export const keyVariables = (
  address: Address,
  choice: ContextChoice | null,
  key: string,
): Omit<KeyPanelQueryVariables, 'by' | 'drilled'> => ({ ...windowOf(address, choice), key });

/** Returns the filter in the terms of the schema; null if all keys pass. */
export function filterInput(
  filters: readonly Filter[],
  hidden: readonly string[],
): KeyFilterInput | null {
  const [search] = textsOf(filters, 'find');
  const [match] = textsOf(filters, 'match');
  const [exclude] = textsOf(filters, 'except');
  const lists = {
    excludeKeys: hidden,
    keys: textsOf(filters, 'only'),
    cidr: textsOf(filters, 'cidr'),
    excludeCidr: textsOf(filters, 'outside'),
  };
  const input: KeyFilterInput = {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(search !== undefined && { search }),
    ...(match !== undefined && { match }),
    ...(exclude !== undefined && { exclude }),
  };
  return Object.keys(input).length > 0 ? input : null;
}
