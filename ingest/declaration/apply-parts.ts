import type { Connection } from '../../db/connection/connection.ts';
import { type ContextProbe, selectProbes, upsertProbe } from '../../db/sql/declaration.ts';
import {
  type ContextNode,
  type ContextPool,
  selectContextPools,
  selectNodes,
  upsertNode,
  upsertPool,
} from '../../db/sql/nodes-and-pools.ts';
import { IngestError } from '../ingest-error.ts';
import { type AppliedItem, settle, withChanges } from './applied-item.ts';
import type { DeclaredNode, DeclaredPool, DeclaredProbe } from './declaration.ts';

/** Applies the declared nodes to the context; those that are not named stay. */
export async function applyNodes(
  connection: Connection,
  contextId: number,
  declared: readonly DeclaredNode[],
): Promise<AppliedItem[]> {
  const existing = byName(await selectNodes(connection, contextId));
  const wanted = declared.map(
    ({ name, role, url, url_env, share }): ContextNode => ({
      name,
      role,
      url: url ?? null,
      urlEnv: url_env ?? null,
      share: share ?? (role === 'replica' && existing.get(name)?.share === true),
    }),
  );
  refuseTwoRecoveryNodes([...new Map([...existing, ...byName(wanted)]).values()]);
  // Write the recovery node last, when the previous one has already lost the role.
  const ordered = [...wanted].sort((a, b) => Number(a.role === 'dr') - Number(b.role === 'dr'));
  const items: AppliedItem[] = [];
  for (const node of ordered) {
    const settled = await settle(existing.get(node.name), node, (row) =>
      upsertNode(connection, contextId, row),
    );
    items.push({ what: 'node', name: node.name, ...settled });
  }
  return items;
}

/** Throws if there are two disaster-recovery nodes: there can be only one (decision 13). */
function refuseTwoRecoveryNodes(nodes: readonly ContextNode[]): void {
  const names = nodes.filter(({ role }) => role === 'dr').map(({ name }) => name);
  if (names.length < 2) return;
  throw new IngestError(
    `only one node of a context can have the role dr, got ${names.join(' and ')}: ` +
      'declare the others as replica',
  );
}

/** Applies the declared pools to the context; those that are not named stay. */
export async function applyPools(
  connection: Connection,
  contextId: number,
  declared: readonly DeclaredPool[],
): Promise<AppliedItem[]> {
  const existing = byName(await selectContextPools(connection, contextId));
  const items: AppliedItem[] = [];
  for (const pool of declared) {
    const before = existing.get(pool.name);
    const wanted = withChanges(before ?? newPool(pool.name), {
      status: pool.status,
      totalSize: pool.total_size,
      availSize: pool.avail_size,
      fileSystem: pool.file_system,
      path: pool.path,
      offlineArchive: pool.offline_archive,
      offlineArchiveMounted: pool.offline_archive_mounted,
      additionalInfo: pool.additional_info,
    });
    const settled = await settle(before, wanted, (row) => upsertPool(connection, contextId, row));
    items.push({ what: 'pool', name: pool.name, ...settled });
  }
  return items;
}

const newPool = (name: string): ContextPool => ({
  name,
  status: 'online',
  totalSize: null,
  availSize: null,
  fileSystem: null,
  path: null,
  offlineArchive: false,
  offlineArchiveMounted: false,
  additionalInfo: null,
});

/** Applies the declared probes to the context; those that are not named stay. */
export async function applyProbes(
  connection: Connection,
  contextId: number,
  declared: readonly DeclaredProbe[],
): Promise<AppliedItem[]> {
  const existing = byName(await selectProbes(connection, contextId));
  const items: AppliedItem[] = [];
  for (const { id: name, description } of declared) {
    const before = existing.get(name);
    const unsaid: ContextProbe = { name, description: null };
    const wanted = withChanges(before ?? unsaid, { description });
    const settled = await settle(before, wanted, (row) => upsertProbe(connection, contextId, row));
    items.push({ what: 'probe', name, ...settled });
  }
  return items;
}

const byName = <T extends { name: string }>(rows: readonly T[]): Map<string, T> =>
  new Map(rows.map((row) => [row.name, row]));
