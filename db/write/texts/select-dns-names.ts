import type { Connection } from '../../connection/connection.ts';
import type { DnsName } from './upsert-dns-names.ts';

/** Selects rows of the table of `createDnsNames` after a key, in the order of keys. */
export async function selectDnsNames(
  connection: Connection,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<DnsName[]> {
  const { rows } = await connection.query<DnsName>(
    `select key, name, answered_us::float8 as "answeredUs" from dns_names
     where key > $1 order by key limit $2`,
    [after, limit],
  );
  return rows;
}
