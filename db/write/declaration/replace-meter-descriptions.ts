import type { Connection } from '../../connection/connection.ts';

export type MeterDescription = {
  readonly guid: string;
  readonly id: number;
  /** Only a meter with this description is changed. */
  readonly before: string;
  readonly after: string;
};

/** Replaces the descriptions of meters of a context, unless somebody has changed them. */
export async function replaceMeterDescriptions(
  connection: Connection,
  contextId: number,
  meters: readonly MeterDescription[],
): Promise<void> {
  await connection.query(
    `update meters m set description = d.after
     from counter_groups g,
       unnest($2::uuid[], $3::int[], $4::text[], $5::text[]) as d(guid, id, before, after)
     where g.context_id = $1 and g.guid = d.guid
       and m.group_id = g.group_id and m.meter_id = d.id and m.description = d.before`,
    [
      contextId,
      meters.map(({ guid }) => guid),
      meters.map(({ id }) => id),
      meters.map(({ before }) => before),
      meters.map(({ after }) => after),
    ],
  );
}
