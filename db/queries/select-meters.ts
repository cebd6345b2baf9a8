import type { ReadSession } from '../read-session.ts';

/** slot: the 1-based place of the meter's reading in samples.readings. */
export type MeterRow = {
  group_id: number;
  meter_id: number;
  slot: number;
  type: number;
  topcount: number;
  name: string;
  description: string;
  units: string;
};

export const selectMeters = (
  session: ReadSession,
  groupIds: readonly number[],
): Promise<MeterRow[]> =>
  session.read({
    text: `
select group_id, meter_id, slot, type, topcount, name, description, units
from meters where group_id = any($1::int[])
order by group_id, meter_id`,
    values: [groupIds],
  });
