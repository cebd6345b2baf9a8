/** Keys whose work takes a millisecond or so. */
const KEYS_AT_ONCE = 500;

/**
 * Gives way to other requests after each few hundred of many keys; `index`: the number of keys that
 * are done. With fewer keys it never does, so that what they need is read together with the rest.
 */
export const afterMany = (
  reader: { pause(): Promise<void> | undefined },
  index: number,
): Promise<void> | undefined =>
  index > 0 && index % KEYS_AT_ONCE === 0 ? reader.pause() : undefined;
