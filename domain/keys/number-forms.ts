import {
  bytesOf,
  bytesOfNumber,
  formatHexBytes,
  hexBytesPattern,
  numberOfBytes,
  parseDecimal,
  upperIf,
} from './hex-bytes.ts';
import { protocolKeyword, protocolNumber } from './ip-protocols.ts';
import type { KeyForm } from './key-form.ts';

type NumberText = {
  /** The number that a readable text stands for, or null. */
  readonly parse: (text: string, max: number) => number | null;
  readonly format: (value: number) => string;
};

/** A number of `count` bytes. */
function numberForm(count: number, { parse, format }: NumberText): KeyForm {
  const pattern = hexBytesPattern(count);
  const max = 256 ** count - 1;
  return {
    parseRaw: (text) => upperIf(pattern, text),
    parseReadable(text) {
      const value = parse(text, max);
      return value === null ? null : formatHexBytes(bytesOfNumber(value, count));
    },
    formatReadable: (key) => (pattern.test(key) ? format(numberOfBytes(bytesOf(key))) : null),
  };
}

export const portForm = numberForm(2, { parse: parseDecimal, format: String });

export const protocolForm = numberForm(1, {
  parse: (text, max) => protocolNumber(text) ?? parseDecimal(text, max),
  format: (value) => protocolKeyword(value) ?? String(value),
});

const AS_PREFIX = /^AS/i;

export const asnForm = numberForm(4, {
  parse: (text, max) => (AS_PREFIX.test(text) ? parseDecimal(text.slice(2), max) : null),
  format: (value) => `AS${value}`,
});

const RAW_MAC = hexBytesPattern(6);
const READABLE_MAC = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i;

export const macForm: KeyForm = {
  parseRaw: (text) => upperIf(RAW_MAC, text),
  parseReadable: (text) => upperIf(READABLE_MAC, text)?.replaceAll(':', '.') ?? null,
  formatReadable: (key) => (RAW_MAC.test(key) ? key.toLowerCase().replaceAll('.', ':') : null),
};
