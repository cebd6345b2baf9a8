import type { SimpleKeyKind } from './key-kind.ts';
import { formatReadable, parseRawKey } from './key-text.ts';
import { serviceName } from './service-names.ts';

/**
 * Returns the label of a key that nobody has labelled (decisions, section 7): a port's IANA service
 * name, a country's English name. Null for other kinds, and if there is no such name.
 */
export function defaultLabel(kind: SimpleKeyKind, key: string): string | null {
  if (kind !== 'port' && kind !== 'country') return null;
  if (parseRawKey(kind, key) === null) return null;
  return kind === 'port' ? serviceName(Number(formatReadable(kind, key))) : countryName(key);
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

const countryName = (code: string): string | null => COUNTRY_NAMES.of(code) ?? null;
