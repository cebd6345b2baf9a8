import type { GroupRow } from '../db/sql/declaration.ts';
import { storedGuid } from '../domain/text/guid.ts';
import { foldOf } from '../domain/toppers/meter-type.ts';
import type { ExportedGroup } from './reading-source.ts';

export const exportedGroup = ({ groupId, guid, meters }: GroupRow): ExportedGroup => ({
  groupId,
  guid: storedGuid(guid),
  meters: meters.map(({ id, slot, type }) => ({ id, slot, fold: foldOf(type) })),
});
