import type { ReadSession } from '../session/read-session.ts';

/** Sizes in bytes, as text because they may exceed 2^53. */
export type PoolRow = {
  contextId: number;
  contextName: string;
  name: string;
  status: string;
  totalSize: string | null;
  availSize: string | null;
  fileSystem: string | null;
  path: string | null;
  offlineArchive: boolean;
  offlineArchiveMounted: boolean;
  additionalInfo: string | null;
};

export const selectPools = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
): Promise<PoolRow[]> =>
  session.read({
    query: 'select-pools',
    text: `
select p.context_id as "contextId", c.name as "contextName", p.name, p.status,
  p.total_size as "totalSize", p.avail_size as "availSize", p.file_system as "fileSystem", p.path,
  p.offline_archive as "offlineArchive", p.offline_archive_mounted as "offlineArchiveMounted",
  p.additional_info as "additionalInfo"
from pools p join contexts c using (context_id)
where p.context_id = any($1::int[])
order by p.name`,
    values: [contextIds],
  });
