import { LIMITS } from '../limits.ts';
import type { KeyForm } from './key-form.ts';

/** Kinds whose raw key is what people read. */
const sameInBothForms = (accepts: (text: string) => boolean): KeyForm => {
  const same = (text: string): string | null => (accepts(text) ? text : null);
  return { parseRaw: same, parseReadable: same, formatReadable: same };
};

const COUNTRY = /^[A-Z]{2}$/;

/** ISO 3166-1 alpha-2. */
export const countryForm = sameInBothForms((text) => COUNTRY.test(text));

/** Half of a surrogate pair is not a character: UTF-8, and so PostgreSQL, cannot hold it. */
const UNSTORABLE = /[\p{Control}\p{Surrogate}]/u;

export const textForm = sameInBothForms(
  (text) => text !== '' && Buffer.byteLength(text) <= LIMITS.textKeyBytes && !UNSTORABLE.test(text),
);
