import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Address, changed, formatAddress, type ReadAddress, readAddress } from './address.ts';

export type Navigate = {
  /** Shows this; "back" returns to the current view. */
  go(changes: Partial<Address>): void;
  /** Shows this instead of the current view. */
  amend(changes: Partial<Address>): void;
  /** Returns the link to this. */
  link(changes: Partial<Address>): string;
};

const currentAddress = (): ReadAddress => readAddress(location.search);

const pathOf = (address: Address): string => formatAddress(address) || location.pathname;

/**
 * Returns the browser's address, and ways to navigate to others. What was wrong with it stays known
 * until another is shown, although the page corrects it.
 */
export function useAddress(): [ReadAddress, Navigate] {
  const [read, setRead] = useState(currentAddress);
  useEffect(() => {
    const follow = () => setRead(currentAddress());
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const go = useCallback((changes: Partial<Address>) => {
    const address = changed(currentAddress().address, changes);
    history.pushState(null, '', pathOf(address));
    setRead({ address, faults: [], unknown: [] });
  }, []);
  const amend = useCallback((changes: Partial<Address>) => {
    const address = changed(currentAddress().address, changes);
    history.replaceState(null, '', pathOf(address));
    setRead((before) => ({ ...before, address }));
  }, []);
  const link = (changes: Partial<Address>) => pathOf(changed(read.address, changes));
  return [read, { go, amend, link }];
}
