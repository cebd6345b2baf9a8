import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Address, changed, formatAddress, parseAddress } from './address.ts';

export type Navigate = {
  /** Shows this; "back" returns to the current view. */
  go(changes: Partial<Address>): void;
  /** Shows this instead of the current view. */
  amend(changes: Partial<Address>): void;
  /** Returns the link to this. */
  link(changes: Partial<Address>): string;
};

const currentAddress = (): Address => parseAddress(location.search);

const pathOf = (address: Address): string => formatAddress(address) || location.pathname;

/** Returns the browser's address, and ways to navigate to others. */
export function useAddress(): [Address, Navigate] {
  const [address, setAddress] = useState(currentAddress);
  useEffect(() => {
    const follow = () => setAddress(currentAddress());
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const go = useCallback((changes: Partial<Address>) => {
    const next = changed(currentAddress(), changes);
    history.pushState(null, '', pathOf(next));
    setAddress(next);
  }, []);
  const amend = useCallback((changes: Partial<Address>) => {
    const next = changed(currentAddress(), changes);
    history.replaceState(null, '', pathOf(next));
    setAddress(next);
  }, []);
  const link = (changes: Partial<Address>) => pathOf(changed(address, changes));
  return [address, { go, amend, link }];
}
