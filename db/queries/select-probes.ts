import type { ReadSession } from '../read-session.ts';

export type ProbeRow = { contextId: number; probeId: number; name: string };

export const selectProbes = (
  session: ReadSession,
  contextIds: readonly number[],
): Promise<ProbeRow[]> =>
  session.read({
    text: `
select context_id as "contextId", probe_id as "probeId", name
from probes where context_id = any($1::int[])
order by name`,
    values: [contextIds],
  });
