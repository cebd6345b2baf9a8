/** A GUID as answers carry it: upper case, in braces (decision 7). */
export type Guid = string & { readonly __brand: 'Guid' };

const BARE = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Reads a GUID in any case, with or without its pair of braces; null for anything else.
 * PostgreSQL's text of a `uuid` is one such form.
 */
export function parseGuid(text: string): Guid | null {
  const bare = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  return BARE.test(bare) ? (`{${bare.toUpperCase()}}` as Guid) : null;
}

/** Returns the GUID that PostgreSQL writes as `text`, the text of a uuid. */
export function storedGuid(text: string): Guid {
  const guid = parseGuid(text);
  if (guid === null) throw new Error(`the database holds ${text} as a GUID`);
  return guid;
}
