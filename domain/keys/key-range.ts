/** Texts from `from` to before `below`, in the order of their UTF-8 bytes. */
export type KeyRange = { readonly from: string; readonly below: string };

/** The texts that begin with this one, which is not empty and ends in ASCII. */
export const prefixRange = (prefix: string): KeyRange => ({
  from: prefix,
  below: `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`,
});
