import { copyArray } from '../copy-text.ts';
import type { ReadSession, SnapshotCheck, TimeBound } from '../session/read-session.ts';

/**
 * What is remembered of a context under `version` and `textVersion` still holds while they are the
 * same. layout: of its manifest, which also changes where the same readings lie in other segments.
 */
export type VersionsRow = {
  contextId: number;
  version: number;
  textVersion: number;
  layout: number;
  /** Numbers of two histories have nothing to do with each other. */
  history: string;
};

/**
 * As long as it is the same, a database only goes on. A server that was promoted or has crashed may
 * have lost commits, and tables that were restored may be older: both count on from before.
 */
export const HISTORY = `pg_postmaster_start_time() || ' ' ||
  pg_relation_filepath('context_versions'::regclass)`;

/** With the random numbers that were drawn with each: under them there is one history. */
export type VersionedRow = VersionsRow & { nonce: number; textNonce: number };

export const selectVersions = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
  bound: TimeBound | null,
): Promise<VersionsRow[]> =>
  session.read(
    {
      query: 'select-versions',
      // float8 holds them exactly and arrives as a number; int8 would arrive as text.
      text: `
select v.context_id as "contextId", v.version::float8 as version,
  t.version::float8 as "textVersion", v.layout::float8 as layout, ${HISTORY} as history
from context_versions v join text_versions t using (context_id)
where v.context_id = any($1::int[])`,
      values: [contextIds],
    },
    bound,
  );

/** Whether the contexts are still at these versions. */
export function versionsCheck(rows: readonly VersionsRow[]): SnapshotCheck {
  const versions = JSON.stringify(rows.map(numbersOf).sort((a, b) => a[0] - b[0]));
  const ids = copyArray(rows.map(({ contextId }) => contextId));
  return {
    text: `select coalesce(json_agg(json_build_array(
        v.context_id, v.version, t.version, ${HISTORY})
        order by v.context_id), '[]') as versions
      from context_versions v join text_versions t using (context_id)
      where v.context_id = any(${ids})`,
    isSame: ([row]) => JSON.stringify((row as { versions: unknown }).versions) === versions,
    seen: new Map(
      rows.map((row) => [row.contextId, `${row.version} ${row.textVersion} ${row.history}`]),
    ),
  };
}

const numbersOf = (row: VersionsRow): [number, number, number, string] => [
  row.contextId,
  row.version,
  row.textVersion,
  row.history,
];
