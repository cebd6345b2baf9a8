import { copyArray } from '../binary-copy.ts';
import type { Deadline, ReadSession, SnapshotCheck } from '../session/read-session.ts';

/**
 * The versions of a context. What is cached under `version` and `textVersion` is valid while they
 * are the same. layout: of the manifest; it also changes when the same readings move to other
 * segments.
 */
export type VersionsRow = {
  contextId: number;
  version: number;
  textVersion: number;
  layout: number;
  /** Versions of two histories cannot be compared. */
  history: string;
};

/**
 * SQL: identifies the history of a database. While it is the same, versions only grow. A server
 * that was promoted or has crashed may have lost commits, and restored tables may be older: both
 * continue from earlier versions.
 */
export const HISTORY = `pg_postmaster_start_time() || ' ' ||
  pg_relation_filepath('context_versions'::regclass)`;

/**
 * With the random nonce drawn with each version: rows with the same versions and nonces are of one
 * history.
 */
export type VersionedRow = VersionsRow & { nonce: number; textNonce: number };

/** name: by which the caller knows whether it is the expected context. */
export type NamedVersionsRow = VersionsRow & { name: string };

export const selectVersions = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
  deadline: Deadline | null,
): Promise<NamedVersionsRow[]> =>
  session.read(
    {
      query: 'select-versions',
      // float8 holds them exactly and arrives as a number; int8 would arrive as text.
      text: `
select c.context_id as "contextId", c.name, v.version::float8 as version,
  t.version::float8 as "textVersion", v.layout::float8 as layout, ${HISTORY} as history
from contexts c join context_versions v using (context_id) join text_versions t using (context_id)
where c.context_id = any($1::int[])`,
      values: [contextIds],
    },
    deadline,
  );

/** Returns the check that the contexts are still at these versions. */
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
