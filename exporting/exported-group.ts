import type { GroupRow } from '../db/write/declaration/select-groups.ts';
import { type Guid, parseGuid } from '../domain/text/guid.ts';
import { foldOf } from '../domain/toppers/meter-type.ts';
import type { ExportedGroup } from './reading-source.ts';

export const exportedGroup = ({ groupId, guid, meters }: GroupRow): ExportedGroup => ({
  groupId,
  guid: exportedGuid(guid),
  meters: meters.map(({ id, slot, type }) => ({ id, slot, fold: foldOf(type) })),
});

/** Parses a GUID from the text form of a PostgreSQL uuid. */
export function exportedGuid(text: string): Guid {
  const guid = parseGuid(text);
  if (guid === null) throw new Error(`the database holds ${text} as a GUID`);
  return guid;
}
