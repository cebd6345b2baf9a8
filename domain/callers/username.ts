import { isName } from '../text/storable-text.ts';

/** Whether a user may be called this. HTTP Basic ends the user's name at the first colon. */
export const isUsername = (text: string): boolean => isName(text) && !text.includes(':');
