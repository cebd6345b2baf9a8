import type { Connection } from '../../connection/connection.ts';
import { lockTexts } from './lock-texts.ts';

/** Labels that a DNS answer or a MaxMind file gives to keys of a group, each key once. */
export type LookedUpLabels = {
  readonly groupId: number;
  readonly source: 'dns' | 'mmdb';
  readonly names: readonly LookedUpName[];
};

/** answeredUs: when DNS said so, in microseconds since the epoch. */
type LookedUpName = {
  readonly key: string;
  readonly name: string;
  readonly answeredUs?: number;
};

/**
 * Number of keys that got a new label, that already had it or have a newer answer, and that keep a
 * label that a user gave.
 */
export type LookedUpCounts = {
  readonly labelled: number;
  readonly unchanged: number;
  readonly keptByUser: number;
};

/**
 * Sets labels that were looked up, never over a label that a user gave, nor over that of a newer
 * answer. Of two names that were answered at the same time, the last in alphabetical order stays,
 * so that the order in which answers come does not matter.
 */
export async function upsertLookedUpLabels(
  connection: Connection,
  { groupId, source, names }: LookedUpLabels,
): Promise<LookedUpCounts> {
  await lockTexts(connection, [groupId]);
  const { rows } = await connection.query<LookedUpCounts>(
    `with given as (
       select n.key, n.name, n.answered_us, t.label, t.label_source,
         t.label_source is distinct from 'user' and (t.label_source is distinct from 'dns'
           or n.answered_us is null or t.answered_us is null
           or (n.answered_us, n.name collate "C") > (t.answered_us, t.label collate "C")) as wins
       from unnest($2::text[], $3::text[], $5::bigint[]) as n(key, name, answered_us)
       left join key_texts t on t.group_id = $1 and t.key = n.key
     ), labelled as (
       insert into key_texts as t (group_id, key, label, label_source, answered_us)
       select $1, key, name, $4, answered_us from given
       where wins and (label is distinct from name or answered_us is not null)
       on conflict (group_id, key) do update set label = excluded.label,
         label_source = excluded.label_source, answered_us = excluded.answered_us
     )
     select count(*) filter (where wins and label is distinct from name)::int as labelled,
       count(*) filter (where label_source <> 'user' and (label = name or not wins))::int
         as unchanged,
       count(*) filter (where label_source = 'user')::int as "keptByUser"
     from given`,
    [
      groupId,
      names.map(({ key }) => key),
      names.map(({ name }) => name),
      source,
      names.map(({ answeredUs }) => answeredUs ?? null),
    ],
  );
  const [counts] = rows;
  if (!counts) throw new Error('an aggregate returned no row');
  return counts;
}
