import type { Connection } from './connection.ts';

/**
 * What became of the names in dns_names: keys that got a new label, that had it already, that keep
 * the label a user gave; and how many addresses are no key of the groups.
 */
export type DnsLabelCounts = {
  labelled: number;
  unchanged: number;
  keptByUser: number;
  unknown: number;
};

/** Labels the keys of the groups with the names of dns_names, but never over a user's label. */
export async function labelFromDns(
  connection: Connection,
  groupIds: readonly number[],
): Promise<DnsLabelCounts> {
  const { rows } = await connection.query<DnsLabelCounts>(
    `with found as (
       select k.group_id, k.shard, k.key_id, d.key, d.name, k.label, k.label_source
       from dns_names d join keys k on k.group_id = any($1::int[]) and k.key = d.key
     ), labelled as (
       update keys k set label = f.name, label_source = 'dns'
       from found f
       where k.group_id = f.group_id and k.shard = f.shard and k.key_id = f.key_id
         and f.label_source is distinct from 'user' and f.label is distinct from f.name
       returning 1
     )
     select (select count(*)::int from labelled) as labelled,
       count(*) filter (where label_source = 'dns' and label = name)::int as unchanged,
       count(*) filter (where label_source = 'user')::int as "keptByUser",
       ((select count(*) from dns_names) - count(distinct key))::int as unknown
     from found`,
    [groupIds],
  );
  const counts = rows[0];
  if (!counts) throw new Error('an aggregate returned no row');
  return counts;
}
