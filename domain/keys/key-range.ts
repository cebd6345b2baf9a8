/** Texts from `from` up to but not including `below`, in the order of their UTF-8 bytes. */
export type KeyRange = { readonly from: string; readonly below: string };

/** The range of texts that begin with `prefix`, which is not empty and ends in ASCII. */
export const prefixRange = (prefix: string): KeyRange => ({
  from: prefix,
  below: `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`,
});
