import type { Connection } from '../../connection/connection.ts';

/** key: an address's raw key. */
export type DnsNameRow = { readonly key: string; readonly name: string };

/** Selects rows of the table of `createDnsNames` after a key, in the order of keys. */
export async function selectDnsNames(
  connection: Connection,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<DnsNameRow[]> {
  const { rows } = await connection.query<DnsNameRow>(
    'select key, name from dns_names where key > $1 order by key limit $2',
    [after, limit],
  );
  return rows;
}
