import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Address, changed, formatAddress, parseAddress } from './address.ts';

export type Navigate = {
  /** Shows this, and "back" leads here again. */
  go(changes: Partial<Address>): void;
  /** Shows this in place of what is shown. */
  amend(changes: Partial<Address>): void;
  /** The link to this. */
  link(changes: Partial<Address>): string;
};

const currentAddress = (): Address => parseAddress(location.search);

const pathOf = (address: Address): string => formatAddress(address) || location.pathname;

/** What the browser's address says, and ways to others. */
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
