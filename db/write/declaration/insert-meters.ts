import type { Connection } from '../../connection/connection.ts';

export type NewMeter = {
  id: number;
  type: number;
  topcount: number;
  name: string;
  description: string;
  units: string;
};

/** Adds meters to a group, each in the next free slot: slots are never reused. */
export async function insertMeters(
  connection: Connection,
  groupId: number,
  meters: readonly NewMeter[],
): Promise<void> {
  await connection.query(
    `insert into meters (group_id, meter_id, slot, type, topcount, name, description, units)
     select $1, m.id, taken.slot + m.place, m.type, m.topcount, m.name, m.description, m.units
     from unnest($2::int[], $3::smallint[], $4::int[], $5::text[], $6::text[], $7::text[])
       with ordinality as m(id, type, topcount, name, description, units, place),
       (select coalesce(max(slot), 0) as slot from meters where group_id = $1) taken`,
    [
      groupId,
      meters.map(({ id }) => id),
      meters.map(({ type }) => type),
      meters.map(({ topcount }) => topcount),
      meters.map(({ name }) => name),
      meters.map(({ description }) => description),
      meters.map(({ units }) => units),
    ],
  );
}
