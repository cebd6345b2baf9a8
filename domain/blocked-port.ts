/**
 * The message of the cause of `fetch`'s error for a port that it blocks, such as 25 or 6000, like
 * browsers (Fetch standard, port blocking). It has no code.
 */
export const BLOCKED_PORT = 'bad port';
