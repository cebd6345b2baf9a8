import { LIMITS } from '../limits.ts';
import { isName } from '../text/storable-text.ts';

/** Whether a token may be called this. */
export const isTokenName = (text: string): boolean =>
  isName(text) && text.length <= LIMITS.tokenNameCharacters;

/** What `isTokenName` requires, as error messages say it. */
export const TOKEN_NAME_FORM =
  `a name of 1 to ${LIMITS.tokenNameCharacters} characters without control characters and without ` +
  'blanks at its ends';
