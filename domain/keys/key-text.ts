import { LIMITS } from '../limits.ts';
import {
  addressBytes,
  interfaceForm,
  ipForm,
  ipv4Form,
  ipv6Form,
  subnetForm,
} from './address-forms.ts';
import { formatHexBytes } from './hex-bytes.ts';
import type { KeyForm } from './key-form.ts';
import type { SimpleKeyKind } from './key-kind.ts';
import { asnForm, macForm, portForm, protocolForm } from './number-forms.ts';

/** Kinds whose raw key is what people read. */
const sameInBothForms = (accepts: (text: string) => boolean): KeyForm => {
  const same = (text: string): string | null => (accepts(text) ? text : null);
  return { parseRaw: same, parseReadable: same, formatReadable: same };
};

const COUNTRY = /^[A-Z]{2}$/;

/** ISO 3166-1 alpha-2. */
const countryForm = sameInBothForms((text) => COUNTRY.test(text));

/** Half of a surrogate pair is not a character: UTF-8, and so PostgreSQL, cannot hold it. */
const UNSTORABLE = /[\p{Control}\p{Surrogate}]/u;

const textForm = sameInBothForms(
  (text) => text !== '' && Buffer.byteLength(text) <= LIMITS.textKeyBytes && !UNSTORABLE.test(text),
);

/** A raw key in its canonical form, as stored and as returned (decisions, section 7). */
export type KeyText = string & { readonly __brand: 'KeyText' };

const FORMS: Readonly<Record<SimpleKeyKind, KeyForm>> = {
  ipv4: ipv4Form,
  ipv6: ipv6Form,
  ip: ipForm,
  port: portForm,
  protocol: protocolForm,
  mac: macForm,
  subnet: subnetForm,
  interface: interfaceForm,
  asn: asnForm,
  country: countryForm,
  text: textForm,
};

/** Reads a key in raw form, hexadecimal digits in any case; null if it is not such a key. */
export const parseRawKey = (kind: SimpleKeyKind, text: string): KeyText | null =>
  FORMS[kind].parseRaw(text) as KeyText | null;

/** Reads what people write: `192.168.1.10`, `80`, `tcp`, `AS15169`; null for anything else. */
export const parseReadableKey = (kind: SimpleKeyKind, text: string): KeyText | null =>
  FORMS[kind].parseReadable(text) as KeyText | null;

/**
 * Reads a key in raw or in readable form. The raw form wins if a text is both: as a protocol, `17`
 * is the byte 17 (23 in decimal, TRUNK-1), while `UDP` is unambiguous.
 */
export const parseKey = (kind: SimpleKeyKind, text: string): KeyText | null =>
  parseRawKey(kind, text) ?? parseReadableKey(kind, text);

/** Returns the key as people read it; a key of unknown form is returned as is (decision 30). */
export const formatReadable = (kind: SimpleKeyKind, key: string): string =>
  FORMS[kind].formatReadable(key) ?? key;

/** Returns the raw key of an address of 4 or 16 bytes. */
export const addressKey = (bytes: readonly number[]): KeyText => formatHexBytes(bytes) as KeyText;

const ADDRESS_BYTES: Readonly<Partial<Record<SimpleKeyKind, readonly number[]>>> = {
  ipv4: [4],
  ipv6: [16],
  ip: [4, 16],
};

/** Whether the keys of this kind are addresses, so that requests may name networks. */
export const isAddressKind = (kind: SimpleKeyKind): boolean => kind in ADDRESS_BYTES;

/** The 4 or 16 bytes of an address key; null for other kinds, and for an invalid address. */
export function addressBytesOf(kind: SimpleKeyKind, key: string): number[] | null {
  const bytes = addressBytes(key);
  return bytes !== null && ADDRESS_BYTES[kind]?.includes(bytes.length) ? bytes : null;
}
