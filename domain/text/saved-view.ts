import { malformed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { isName } from './storable-text.ts';

/** Returns the name of a view. Error: it cannot be one. */
export function parseViewName(argument: string, text: string): string {
  const most = LIMITS.viewNameCharacters;
  if (isName(text) && text.length <= most) return text;
  const form =
    `a name of 1 to ${most} characters without control characters and without ` +
    'blanks at its ends';
  throw malformed(argument, form, text);
}

/** A query as browsers write it (WHATWG URL, query percent-encode set), and nothing after it. */
const QUERY = /^\?[!$-;=?-~]*$/;

/**
 * Returns the address of a view, which is only the query part of an address of the dashboard:
 * whatever it says, it leads to no other place. Error: it is something else.
 */
export function parseViewAddress(text: string): string {
  const most = LIMITS.viewAddressCharacters;
  if (text.length > most) {
    throw malformed('address', `at most ${most} characters`, `${text.length} characters`);
  }
  if (QUERY.test(text)) return text;
  const form =
    'the part of an address of the dashboard that begins with "?", as browsers write it: ' +
    'without blanks, quotes, angle brackets and "#"';
  throw malformed('address', form, text);
}
