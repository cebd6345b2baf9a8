import type { SavedViewFragment } from '../../generated/operations.ts';
import { type Address, changed, formatAddress, parseAddress } from '../address/address.ts';

export type SavedView = SavedViewFragment;

/** Returns what is saved of an address: not its context, which is that of the view. */
export const savedAddress = (address: Address): string =>
  formatAddress({ ...address, context: null, live: false }) || '?';

/** Returns the address that opens a view. */
export const openedAddress = (
  { address, live }: Pick<SavedView, 'address' | 'live'>,
  context: string | null,
): Address => changed({ ...parseAddress(address), context }, { live });

/** Returns whether an address leaves it to the page what it shows, except for the context. */
export const leavesOpen = (search: string): boolean =>
  [...new URLSearchParams(search).keys()].every((name) => name === 'context');
