import { formatAddress, parseAddress } from './address-text.ts';
import {
  bytesOf,
  bytesOfNumber,
  formatHexBytes,
  hexBytesPattern,
  numberOfBytes,
  parseDecimal,
  upperIf,
} from './hex-bytes.ts';
import type { KeyForm } from './key-form.ts';

const IPV4 = hexBytesPattern(4);
const IPV6 = hexBytesPattern(16);

/** The bytes of a raw IPv4 or IPv6 key, or null when it is neither. */
export const addressBytes = (key: string): number[] | null =>
  IPV4.test(key) || IPV6.test(key) ? bytesOf(key) : null;

/** Addresses of the given lengths in bytes. */
function addressForm(lengths: readonly number[]): KeyForm {
  const fitting = (bytes: number[] | null): number[] | null =>
    bytes !== null && lengths.includes(bytes.length) ? bytes : null;
  const patterns = lengths.map(hexBytesPattern);
  return {
    // Tests the text only: an import does this for every key and does not need the bytes.
    parseRaw: (text) => (patterns.some((form) => form.test(text)) ? text.toUpperCase() : null),
    parseReadable(text) {
      const bytes = fitting(parseAddress(text));
      return bytes === null ? null : formatHexBytes(bytes);
    },
    formatReadable(key) {
      const bytes = fitting(addressBytes(key));
      return bytes === null ? null : formatAddress(bytes);
    },
  };
}

export const ipv4Form = addressForm([4]);
export const ipv6Form = addressForm([16]);
export const ipForm = addressForm([4, 16]);

/** An address whose first `prefix` bits count. */
export type Network = { readonly bytes: number[]; readonly prefix: number };

/**
 * Splits `address/prefix`. Host bits may be set: the text still names a subnet, and the exporter
 * decides which bytes its key has.
 */
function splitNetwork(
  text: string,
  addressOf: (text: string) => number[] | null,
  prefixOf: (text: string) => number | null,
): Network | null {
  const slash = text.indexOf('/');
  if (slash === -1) return null;
  const bytes = addressOf(text.slice(0, slash));
  const prefix = prefixOf(text.slice(slash + 1));
  return bytes === null || prefix === null || prefix > bytes.length * 8 ? null : { bytes, prefix };
}

const HEX_BYTE = hexBytesPattern(1);

/** A network from its raw key, `C0.A8.01.00/18`; null for anything else. */
export const rawNetwork = (text: string): Network | null =>
  splitNetwork(text, addressBytes, (prefix) =>
    HEX_BYTE.test(prefix) ? Number.parseInt(prefix, 16) : null,
  );

/** A network in CIDR form, `192.168.1.0/24`; null for anything else. */
export const parseNetwork = (text: string): Network | null =>
  splitNetwork(text, parseAddress, (prefix) => parseDecimal(prefix, 128));

/** `C0.A8.01.00/18`: the prefix length is a hexadecimal byte like the others. */
export const subnetForm: KeyForm = {
  parseRaw: (text) => (rawNetwork(text) === null ? null : text.toUpperCase()),
  parseReadable(text) {
    const network = parseNetwork(text);
    if (network === null) return null;
    return `${formatHexBytes(network.bytes)}/${formatHexBytes([network.prefix])}`;
  },
  formatReadable(key) {
    const network = rawNetwork(key);
    return network === null ? null : `${formatAddress(network.bytes)}/${network.prefix}`;
  },
};

const INTERFACE_NUMBER_BYTES = 4;
const INTERFACE_OF_IPV4 = hexBytesPattern(4 + INTERFACE_NUMBER_BYTES);
const INTERFACE_OF_IPV6 = hexBytesPattern(16 + INTERFACE_NUMBER_BYTES);

const parseRawInterface = (text: string): string | null =>
  upperIf(INTERFACE_OF_IPV4, text) ?? upperIf(INTERFACE_OF_IPV6, text);

/** A router's address and the number of one of its interfaces, in four bytes. */
export const interfaceForm: KeyForm = {
  parseRaw: parseRawInterface,
  parseReadable(text) {
    const separator = text.indexOf(' #');
    if (separator === -1) return null;
    const router = parseAddress(text.slice(0, separator));
    const number = parseDecimal(text.slice(separator + 2), 2 ** 32 - 1);
    if (router === null || number === null) return null;
    return formatHexBytes([...router, ...bytesOfNumber(number, INTERFACE_NUMBER_BYTES)]);
  },
  formatReadable(key) {
    if (parseRawInterface(key) === null) return null;
    const bytes = bytesOf(key);
    const router = formatAddress(bytes.slice(0, -INTERFACE_NUMBER_BYTES));
    return `${router} #${numberOfBytes(bytes.slice(-INTERFACE_NUMBER_BYTES))}`;
  },
};
