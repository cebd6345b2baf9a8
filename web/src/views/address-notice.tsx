import { useState } from 'preact/hooks';
import type { ReadAddress } from '../address/address.ts';
import { isolated } from '../format/isolated.ts';
import { Notice } from '../parts/notice.tsx';

/** Says what in the address cannot be used, what it may be, and what is shown instead. */
export function AddressNotice({ faults, unknown }: Pick<ReadAddress, 'faults' | 'unknown'>) {
  const [dismissed, setDismissed] = useState<readonly object[] | null>(null);
  if (dismissed === faults || faults.length + unknown.length === 0) return null;
  return (
    <div class="address-notice">
      <Notice
        title={faults.length > 0 ? 'A part of the address was not understood' : 'About the address'}
        actions={
          <button type="button" class="button" onClick={() => setDismissed(faults)}>
            Dismiss
          </button>
        }
      >
        {faults.length > 0 && (
          <ul>
            {faults.map(({ name, given, must, instead }) => (
              <li key={name}>
                <code>
                  {name}={isolated(given)}
                </code>{' '}
                must be {must}. Shown instead: {instead}.
              </li>
            ))}
          </ul>
        )}
        {unknown.length > 0 && (
          <p class="hint">
            It has parts that mean nothing here: {unknown.map((name) => isolated(name)).join(', ')}.
          </p>
        )}
      </Notice>
    </div>
  );
}
