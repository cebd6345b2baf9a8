import type { ReadSession, TimeBound } from '../../session/read-session.ts';
import { HISTORY, type VersionedRow, versionsCheck } from '../select-versions.ts';

/** Selects the versions of the contexts, leaving out those that do not exist. One statement. */
export const selectWatchedVersions = (
  session: Pick<ReadSession, 'readAlone'>,
  contextIds: readonly number[],
  bound: TimeBound,
): Promise<VersionedRow[]> =>
  session.readAlone<VersionedRow>(
    {
      query: 'select-watched-versions',
      name: 'watched versions',
      text: `
select v.context_id as "contextId", v.version::float8 as version, v.layout::float8 as layout,
  t.version::float8 as "textVersion", v.nonce::float8 as nonce, t.nonce::float8 as "textNonce",
  ${HISTORY} as history
from context_versions v join text_versions t using (context_id)
where v.context_id = any($1::int[])`,
      values: [contextIds],
    },
    versionsCheck,
    bound,
  );
