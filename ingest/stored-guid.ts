import { type Guid, parseGuid } from '../domain/text/guid.ts';

/** Returns the GUID that PostgreSQL writes as `text`, the text of a uuid. */
export function storedGuid(text: string): Guid {
  const guid = parseGuid(text);
  if (guid === null) throw new Error(`the database holds ${text} as a GUID`);
  return guid;
}
