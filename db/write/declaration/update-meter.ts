import type { Connection } from '../../connection/connection.ts';
import type { NewMeter } from './insert-meters.ts';

/** Changes everything of a meter except its id and slot. */
export const updateMeter = async (
  connection: Connection,
  groupId: number,
  meter: NewMeter,
): Promise<void> => {
  await connection.query(
    `update meters set type = $3, topcount = $4, name = $5, description = $6, units = $7
     where group_id = $1 and meter_id = $2`,
    [groupId, meter.id, meter.type, meter.topcount, meter.name, meter.description, meter.units],
  );
};
