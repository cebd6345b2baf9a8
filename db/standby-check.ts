import type { Pool } from 'pg';
import { copyArray } from './binary-copy.ts';
import type { RejectionReason } from './session/snapshot-check.ts';
import type { StandbyCheck } from './session/standby-session.ts';
import { HISTORY, type VersionedRow } from './sql/versions.ts';

/** What a server reports about itself and about contexts. */
export type StandbyRow = {
  readonly isStandby: boolean;
  readonly history: string;
  /** Those of the requested contexts that the server has. */
  readonly contexts: readonly StandbyVersions[];
};

type StandbyVersions = Omit<VersionedRow, 'history'>;

/** Asks a server about itself and these contexts, without a transaction. */
export async function selectStandby(
  pool: Pool,
  contextIds: readonly number[],
): Promise<StandbyRow | null> {
  const { rows } = await pool.query<StandbyRow>(standbyText(contextIds));
  return rows[0] ?? null;
}

/**
 * Returns the check that a server is a standby that has the contexts at these versions, in this
 * history.
 */
export const standbyCheck = (expected: readonly VersionedRow[]): StandbyCheck => ({
  text: standbyText(expected.map(({ contextId }) => contextId)),
  fault: ([row]) => faultOf(row as StandbyRow, expected),
  history: ([row]) => (row as StandbyRow).history,
});

const standbyText = (contextIds: readonly number[]): string => `
select pg_is_in_recovery() as "isStandby", ${HISTORY} as history, coalesce(json_agg(json_build_object(
  'contextId', v.context_id, 'version', v.version, 'textVersion', t.version, 'layout', v.layout,
  'nonce', v.nonce, 'textNonce', t.nonce)), '[]') as contexts
from context_versions v join text_versions t using (context_id)
where v.context_id = any(${copyArray(contextIds)})`;

/**
 * Returns why the server does not have the expected versions; null: it has them for every context.
 */
export function faultOf(
  { isStandby, contexts }: StandbyRow,
  expected: readonly VersionedRow[],
): RejectionReason | null {
  // Another primary may have other segments, and a promoted standby is itself a primary.
  if (!isStandby) return 'foreign';
  const faults = expected.map((want) =>
    faultOfContext(
      contexts.find(({ contextId }) => contextId === want.contextId),
      want,
    ),
  );
  return WORST_FIRST.find((fault) => faults.includes(fault)) ?? null;
}

const WORST_FIRST = ['foreign', 'behind', 'ahead'] as const satisfies readonly RejectionReason[];

function faultOfContext(found: StandbyVersions | undefined, want: VersionedRow) {
  if (!found || found.version < want.version || found.textVersion < want.textVersion) {
    return 'behind';
  }
  if (found.version > want.version || found.textVersion > want.textVersion) return 'ahead';
  return found.nonce === want.nonce && found.textNonce === want.textNonce ? null : 'foreign';
}
