import type { Connection } from '../../db/connection/connection.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import {
  insertGroup,
  insertMeters,
  replaceMeterDescriptions,
  updateKeysOf,
} from '../../db/sql/declaration.ts';
import type { AuditEntry } from '../../domain/audit/audit-entry.ts';
import type { Guid } from '../../domain/text/guid.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import type { ImportGroup } from '../import-group.ts';
import { IngestError } from '../ingest-error.ts';
import { loadGroups } from '../load-groups.ts';
import type { ImportSession } from '../session/import-session.ts';
import {
  FLOW_BUCKET_SECONDS,
  FLOW_TOPPER_BUCKET_SECONDS,
  type FlowGroup,
  type FlowGroupName,
  flowGroup,
} from './flow-groups.ts';

type FlowContext = Pick<
  ImportSession,
  'connection' | 'contextId' | 'context' | 'source' | 'isNew' | 'by'
>;

type GroupChanged = AuditEntry & { readonly object: Guid };

/** The flow groups that exist, by name. */
export type FlowImportGroups = ReadonlyMap<FlowGroupName, ImportGroup>;

/**
 * Returns the named groups of a locked context, and creates those that are missing. An existing
 * group keeps its bucket sizes and meters, and gets the meters that it lacks.
 */
export async function ensureFlowGroups(
  { connection, contextId, ...of }: FlowContext,
  names: readonly FlowGroupName[],
): Promise<FlowImportGroups> {
  const before = await loadGroups(connection, contextId);
  const made: AuditEntry[] = [];
  for (const name of names) {
    made.push(...(await ensureGroup(connection, contextId, flowGroup(name), before)));
  }
  const changed = await ensureKeysOf(connection, await loadGroups(connection, contextId), names);
  made.push(...changed.filter(({ object }) => before.has(object)));
  const detail = { context: of.context, importedFrom: of.source };
  // That the context was created says so of its groups.
  const entries = of.isNew
    ? []
    : made.map((entry) => ({ ...entry, detail: { ...entry.detail, ...detail } }));
  await insertAudit(connection, entries, of.by);
  await describeMeters(connection, contextId, names);
  const after = await loadGroups(connection, contextId);
  const groups = new Map<FlowGroupName, ImportGroup>();
  for (const name of names) {
    const group = after.get(flowGroup(name).guid);
    if (group) groups.set(name, group);
  }
  return groups;
}

/** Gives contexts from before 0.7.1 the current descriptions, unless somebody has changed them. */
const describeMeters = (
  connection: Connection,
  contextId: number,
  names: readonly FlowGroupName[],
): Promise<void> =>
  replaceMeterDescriptions(
    connection,
    contextId,
    names
      .map(flowGroup)
      .flatMap(({ guid, meters }) =>
        meters.flatMap(({ id, description, formerly }) =>
          formerly === null ? [] : [{ guid, id, before: formerly, after: description }],
        ),
      ),
  );

/**
 * Declares whose keys the keys of groups are. A group that was declared otherwise stays as it is,
 * also if it is the one whose keys another group has. Returns the groups that were changed.
 */
async function ensureKeysOf(
  connection: Connection,
  groups: ReadonlyMap<Guid, ImportGroup>,
  names: readonly FlowGroupName[],
): Promise<GroupChanged[]> {
  const withOthers = new Set<number>();
  for (const { groupId, keysGroupId } of groups.values()) {
    if (keysGroupId !== groupId) withOthers.add(groupId).add(keysGroupId);
  }
  const changed: GroupChanged[] = [];
  for (const { guid, keysOf } of names.map(flowGroup)) {
    const group = groups.get(guid);
    const other = keysOf && groups.get(keysOf);
    if (!group || !other || withOthers.has(group.groupId)) continue;
    if (other.keysGroupId !== other.groupId) continue;
    await updateKeysOf(connection, group.groupId, other.guid);
    changed.push({ action: 'group changed', object: guid, detail: { fields: ['keys_of'] } });
  }
  return changed;
}

/** Returns what was created. */
async function ensureGroup(
  connection: Connection,
  contextId: number,
  wanted: FlowGroup,
  before: ReadonlyMap<Guid, ImportGroup>,
): Promise<AuditEntry[]> {
  const { guid, name, keyKind, meters, crosskey } = wanted;
  const group = before.get(guid);
  if (group) {
    checkGroup(group, wanted);
    const missing = meters.filter(({ id }) => !group.meters.has(id));
    if (missing.length > 0) await insertMeters(connection, group.groupId, missing);
    return missing.map(({ id }) => ({
      action: 'meter created',
      object: `meter ${id} of group ${guid}`,
    }));
  }
  const groupId = await insertGroup(connection, contextId, {
    guid,
    name,
    keyKind,
    bucketSize: FLOW_BUCKET_SECONDS,
    topperBucketSize: FLOW_TOPPER_BUCKET_SECONDS,
    samplingRate: 1,
    enabled: true,
    partGuids: crosskey ?? [],
    keysOf: null,
  });
  await insertMeters(connection, groupId, meters);
  return [{ action: 'group created', object: guid }];
}

/**
 * Throws if a group that somebody declared under a flow group's GUID cannot hold what flows
 * provide.
 */
function checkGroup(group: ImportGroup, wanted: FlowGroup): void {
  const { guid, name, keyKind, crosskey, meters } = wanted;
  if (group.keyKind !== keyKind || group.partGuids.join() !== (crosskey ?? []).join()) {
    throw new IngestError(
      `group ${guid} of the context is not the flow group ${name}: its keys must be ` +
        `${keyKind}${crosskey ? ` of ${crosskey.join(' and ')}` : ''}, but they are ${group.keyKind}`,
    );
  }
  for (const { id } of meters) {
    const meter = group.meters.get(id);
    if (meter && (meter.aggregate === null || !isCounting(meter.aggregate))) {
      throw new IngestError(
        `meter ${id} of group ${guid} must be a counter to hold flows, but it is of type ${meter.type}`,
      );
    }
  }
}
