import { copyArray } from '../copy-text.ts';
import type { ReadSession, SnapshotCheck, TimeBound } from '../read-session.ts';

/**
 * What is remembered of a context under `version` and `textVersion` still holds while they are the
 * same. layout: of its manifest, which also changes where the same readings lie in other segments.
 */
export type VersionsRow = {
  contextId: number;
  version: number;
  textVersion: number;
  layout: number;
};

export const selectVersions = (
  session: ReadSession,
  contextIds: readonly number[],
  bound: TimeBound | null,
): Promise<VersionsRow[]> =>
  session.read(
    {
      query: 'select-versions',
      // float8 holds them exactly and arrives as a number; int8 would arrive as text.
      text: `
select v.context_id as "contextId", v.version::float8 as version,
  t.version::float8 as "textVersion", v.layout::float8 as layout
from context_versions v join text_versions t using (context_id)
where v.context_id = any($1::int[])`,
      values: [contextIds],
    },
    bound,
  );

/** Whether the contexts are still at these versions. */
export function versionsCheck(rows: readonly VersionsRow[]): SnapshotCheck {
  const versions = JSON.stringify(rows.map(toTriple).sort((a, b) => a[0] - b[0]));
  const ids = copyArray(rows.map(({ contextId }) => contextId));
  return {
    text: `select coalesce(json_agg(json_build_array(v.context_id, v.version, t.version)
        order by v.context_id), '[]') as versions
      from context_versions v join text_versions t using (context_id)
      where v.context_id = any(${ids})`,
    isSame: ([row]) => JSON.stringify((row as { versions: unknown }).versions) === versions,
    seen: new Map(rows.map((row) => [row.contextId, `${row.version} ${row.textVersion}`])),
  };
}

const toTriple = ({ contextId, version, textVersion }: VersionsRow): [number, number, number] => [
  contextId,
  version,
  textVersion,
];
