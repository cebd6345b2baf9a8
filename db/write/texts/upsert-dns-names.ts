import type { Connection } from '../../connection/connection.ts';

/** key: an address's raw key; answeredUs: microseconds since the epoch. */
export type DnsName = { key: string; name: string; answeredUs: number };

/**
 * Stores the names that are newer than the stored ones, each key at most once. Of the same time,
 * the last in alphabetical order counts as newer.
 */
export const upsertDnsNames = async (
  connection: Connection,
  names: readonly DnsName[],
): Promise<void> => {
  await connection.query(
    `insert into dns_names as d (key, name, answered_us)
     select * from unnest($1::text[], $2::text[], $3::bigint[])
     on conflict (key) do update set name = excluded.name, answered_us = excluded.answered_us
     where (excluded.answered_us, excluded.name collate "C") > (d.answered_us, d.name collate "C")`,
    [
      names.map(({ key }) => key),
      names.map(({ name }) => name),
      names.map(({ answeredUs }) => answeredUs),
    ],
  );
};
