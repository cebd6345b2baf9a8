import { LIMITS } from '../limits.ts';
import { isName } from '../text/storable-text.ts';

/** Whether a user may be called this. HTTP Basic ends the user's name at the first colon. */
export const isUsername = (text: string): boolean => isName(text) && !text.includes(':');

/** Room for ` (2)` and the like. */
const LONGEST = LIMITS.nameLength - 8;

/** Returns a username for somebody who is called `shown` elsewhere, the same if it is one. */
export const usernameFor = (shown: string): string =>
  shown
    .slice(0, LONGEST)
    .replace(/[\p{Control}\p{Surrogate}:]/gu, '-')
    .trim() || 'user';
