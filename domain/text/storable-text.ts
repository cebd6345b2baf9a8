import { LIMITS } from '../limits.ts';

/** PostgreSQL's text holds any character but NUL; half a surrogate pair is not a character. */
export const isStorable = (text: string): boolean =>
  !text.includes('\0') && !/\p{Surrogate}/u.test(text);

/** Whether `text` can name a context, a user, a node, a probe, a pool, a group or a meter. */
export const isName = (text: string): boolean =>
  text !== '' &&
  text.length <= LIMITS.nameLength &&
  text.trim() === text &&
  !/[\p{Control}\p{Surrogate}]/u.test(text);

/** What `isName` requires, as error messages say it. */
export const NAME_FORM =
  `a name of 1 to ${LIMITS.nameLength} characters without control characters and without ` +
  'blanks at its ends';
