import type { ReadSession } from '../session/read-session.ts';

/** Sizes in bytes, as text because they may exceed 2^53. */
export type PoolRow = {
  contextId: number;
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
select context_id as "contextId", name, status, total_size as "totalSize",
  avail_size as "availSize", file_system as "fileSystem", path,
  offline_archive as "offlineArchive", offline_archive_mounted as "offlineArchiveMounted",
  additional_info as "additionalInfo"
from pools where context_id = any($1::int[])
order by name`,
    values: [contextIds],
  });
