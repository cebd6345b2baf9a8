import type { ReadSession } from '../session/read-session.ts';

/**
 * isStandby: as reported by the node (decision 13). localDataFolder: the server's data folder, if
 * this user may see it and the server runs on the machine that asks; else null.
 */
export type ServerFactsRow = { isStandby: boolean; localDataFolder: string | null };

export async function selectServerFacts(
  session: Pick<ReadSession, 'read'>,
): Promise<ServerFactsRow> {
  const [row] = await session.read<ServerFactsRow>({
    query: 'select-server-facts',
    text: `
select pg_is_in_recovery() as "isStandby",
  case when (inet_server_addr() is null or inet_server_addr() << '127.0.0.0/8'
      or inet_server_addr() = '::1') and pg_has_role('pg_read_all_settings', 'usage')
    then current_setting('data_directory') end as "localDataFolder"`,
  });
  if (!row) throw new Error('a select without FROM gave no row');
  return row;
}
