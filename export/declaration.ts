import type { Connection } from '../db/connection/connection.ts';
import {
  type AlertSink,
  type StoredAlert,
  selectSinks,
  selectStoredAlerts,
} from '../db/sql/alert-rules.ts';
import type { ContextRow } from '../db/sql/contexts.ts';
import { type GroupRow, selectProbes } from '../db/sql/declaration.ts';
import {
  type ContextNode,
  type ContextPool,
  selectContextPools,
  selectNodes,
} from '../db/sql/nodes-and-pools.ts';
import { type Guid, storedGuid } from '../domain/text/guid.ts';

/** An `apply` file that declares a context as it is, and the nodes left out of it. */
export type ExportedDeclaration = {
  readonly text: string;
  /**
   * Nodes declared by address. An address may contain a password and is valid in one place only.
   */
  readonly leftOutNodes: readonly string[];
  /** Sinks declared by address, with which they are exported; it may contain a password too. */
  readonly sinksWithAddress: readonly string[];
};

/**
 * Builds the `apply` file that recreates the context, with groups and meters in their stored order.
 */
export async function exportDeclaration(
  connection: Connection,
  { name, context, groups }: { name: string; context: ContextRow; groups: readonly GroupRow[] },
): Promise<ExportedDeclaration> {
  const { contextId, sliceSeconds, retentionDays } = context;
  const nodes = byName(await selectNodes(connection, contextId));
  const pools = byName(await selectContextPools(connection, contextId));
  const probes = byName(await selectProbes(connection, contextId));
  const sinks = await selectSinks(connection, contextId);
  const declaration = {
    context: name,
    slice_seconds: sliceSeconds,
    retention_days: retentionDays,
    nodes: nodes.flatMap(declaredNode),
    pools: pools.map(declaredPool),
    probes: probes.map(({ name: id, description }) => ({ id, description })),
    groups: groups.map(declaredGroup),
    alerts: (await selectStoredAlerts(connection, contextId)).map(declaredAlert),
    notify: sinks.map(declaredSink),
  };
  return {
    text: `${JSON.stringify(declaration, null, 2)}\n`,
    leftOutNodes: nodes.filter(({ urlEnv }) => urlEnv === null).map((node) => node.name),
    sinksWithAddress: sinks.filter(({ url }) => url !== null).map((sink) => sink.name),
  };
}

/** Sorts by name; the database returns the rows in no particular order. */
const byName = <T extends { readonly name: string }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));

const declaredNode = ({ name, role, urlEnv, share }: ContextNode) =>
  // JSON.stringify omits undefined values.
  urlEnv === null ? [] : [{ name, role, url_env: urlEnv, share: share || undefined }];

const declaredPool = (pool: ContextPool) => ({
  name: pool.name,
  status: pool.status,
  total_size: pool.totalSize,
  avail_size: pool.availSize,
  file_system: pool.fileSystem,
  path: pool.path,
  offline_archive: pool.offlineArchive,
  offline_archive_mounted: pool.offlineArchiveMounted,
  additional_info: pool.additionalInfo,
});

const declaredGroup = (group: GroupRow) => ({
  guid: storedGuid(group.guid),
  name: group.name,
  key_kind: group.keyKind,
  bucket_size: group.bucketSize,
  topper_bucket_size: group.topperBucketSize,
  sampling_rate: group.samplingRate,
  enabled: group.enabled,
  // JSON.stringify omits undefined values.
  keys_of: group.keysOf === null ? undefined : storedGuid(group.keysOf),
  ...(group.partGuids.length > 0 && { crosskey: declaredParts(group.partGuids.map(storedGuid)) }),
  meters: group.meters.map(({ slot: _, ...meter }) => meter),
});

const declaredParts = ([parent, first, second]: readonly Guid[]) => ({
  parentguid: parent,
  crosskeyguid_1: first,
  // JSON.stringify omits undefined values.
  crosskeyguid_2: second,
});

const declaredAlert = ({ rule, guid, origin }: StoredAlert) => ({
  name: rule.name,
  group: storedGuid(guid),
  meter: rule.meterId,
  window_seconds: rule.windowSeconds,
  when: { [rule.when.condition]: rule.when.threshold },
  filter: rule.filter,
  probe: rule.probe,
  for_windows: rule.forWindows,
  clear_windows: rule.clearWindows,
  severity: rule.severity,
  description: rule.description,
  max_keys: rule.maxKeys,
  enabled: rule.enabled,
  // Without it, the file could not be applied where the rule was made in the page.
  replace: origin.madeBy === null ? undefined : true,
});

/**
 * Only the names of secrets are exported: their values are in the environment of the sending
 * server.
 */
const declaredSink = ({ name, kind, url, urlEnv, secretEnv }: AlertSink) => ({
  name,
  kind,
  // JSON.stringify omits undefined values.
  url: url ?? undefined,
  url_env: urlEnv ?? undefined,
  secret_env: secretEnv ?? undefined,
});
