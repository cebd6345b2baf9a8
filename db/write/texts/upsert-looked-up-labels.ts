import type { Connection } from '../../connection/connection.ts';
import { lockTexts } from './lock-texts.ts';

/** Labels that a DNS answer or a MaxMind file gives to keys of a group, each key once. */
export type LookedUpLabels = {
  readonly groupId: number;
  readonly source: 'dns' | 'mmdb';
  readonly names: readonly { readonly key: string; readonly name: string }[];
};

/**
 * Number of keys that got a new label, that already had it, and that keep a label that a user gave.
 */
export type LookedUpCounts = {
  readonly labelled: number;
  readonly unchanged: number;
  readonly keptByUser: number;
};

/** Sets labels that were looked up, never over a label that a user gave. */
export async function upsertLookedUpLabels(
  connection: Connection,
  { groupId, source, names }: LookedUpLabels,
): Promise<LookedUpCounts> {
  await lockTexts(connection, [groupId]);
  const { rows } = await connection.query<LookedUpCounts>(
    `with given as (
       select n.key, n.name, t.label, t.label_source
       from unnest($2::text[], $3::text[]) as n(key, name)
       left join key_texts t on t.group_id = $1 and t.key = n.key
     ), labelled as (
       insert into key_texts as t (group_id, key, label, label_source)
       select $1, key, name, $4 from given
       where label_source is distinct from 'user' and label is distinct from name
       on conflict (group_id, key) do update
       set label = excluded.label, label_source = excluded.label_source
       returning 1
     )
     select (select count(*)::int from labelled) as labelled,
       count(*) filter (where label_source <> 'user' and label = name)::int as unchanged,
       count(*) filter (where label_source = 'user')::int as "keptByUser"
     from given`,
    [groupId, names.map(({ key }) => key), names.map(({ name }) => name), source],
  );
  const [counts] = rows;
  if (!counts) throw new Error('an aggregate returned no row');
  return counts;
}
