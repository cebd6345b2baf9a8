import type { Connection } from '../../db/connection/connection.ts';
import { insertMeters, type NewMeter, updateMeter } from '../../db/sql/declaration.ts';
import { type AppliedItem, settle, withChanges } from './applied-item.ts';
import { DeclarationError, type DeclaredMeter } from './declaration.ts';
import { refuseChange } from './fixed-with-data.ts';

type MetersToApply = {
  readonly groupId: number;
  /** The group's name in messages. */
  readonly guid: string;
  readonly existing: readonly NewMeter[];
  readonly hasData: boolean;
  readonly meters: readonly DeclaredMeter[];
};

/** Applies the declared meters to a group; those that are not named stay. */
export async function applyMeters(
  connection: Connection,
  { groupId, guid, existing, hasData, meters }: MetersToApply,
): Promise<AppliedItem[]> {
  const items: AppliedItem[] = [];
  for (const declared of meters) {
    const name = `meter ${declared.id} of group ${guid}`;
    const before = existing.find(({ id }) => id === declared.id);
    const wanted = withChanges(before ?? newMeter(declared, name), declared);
    if (before && hasData) refuseChange(name, 'type', before.type, wanted.type);
    const settled = await settle(before, wanted, (meter) =>
      before ? updateMeter(connection, groupId, meter) : insertMeters(connection, groupId, [meter]),
    );
    items.push({ what: 'meter', name, ...settled });
  }
  return items;
}

function newMeter({ id, type, name }: DeclaredMeter, called: string): NewMeter {
  if (type === undefined || name === undefined) {
    throw new DeclarationError(`${called} is new and must have a type and a name`);
  }
  return { id, type, name, topcount: 100, description: '', units: '' };
}
