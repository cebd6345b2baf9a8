import type { Connection } from '../../db/connection/connection.ts';
import {
  type GroupRow,
  insertGroup,
  type NewGroup,
  type NewMeter,
  selectGroups,
  selectGroupsWithData,
  updateGroup,
  updateKeysOf,
} from '../../db/sql/declaration.ts';
import { type Guid, storedGuid } from '../../domain/text/guid.ts';
import { type AppliedItem, changedFields, itemOutcome, withChanges } from './applied-item.ts';
import { applyMeters } from './apply-meters.ts';
import { DeclarationError, type DeclaredGroup } from './declaration.ts';
import { refuseChange } from './fixed-with-data.ts';
import { checkGroups } from './group-rules.ts';

type GroupsToApply = {
  readonly contextId: number;
  readonly sliceSeconds: number;
  readonly groups: readonly DeclaredGroup[];
};

/** An existing group. hasData: it, or a cross-key group that it is part of, has keys. */
type ExistingGroup = {
  readonly groupId: number;
  readonly group: NewGroup;
  readonly meters: readonly NewMeter[];
  readonly hasData: boolean;
};

/** Applies the declared groups and meters to the context; those that are not named stay. */
export async function applyGroups(
  connection: Connection,
  { contextId, sliceSeconds, groups }: GroupsToApply,
): Promise<AppliedItem[]> {
  const existing = await loadExisting(connection, contextId);
  const wanted = groups.map((declared) => wantedGroup(declared, existing.get(declared.guid)));
  const all = new Map([...existing].map(([guid, { group }]) => [guid, group]));
  for (const group of wanted) all.set(group.guid, group);
  checkGroups([...all.values()], sliceSeconds);
  const items: AppliedItem[] = [];
  const keysOf = new Map<number, Guid | null>();
  for (const [i, group] of wanted.entries()) {
    const before = existing.get(group.guid);
    if (before?.hasData) refuseGroupChange(before.group, group);
    const outcome = itemOutcome(before?.group, group);
    const groupId = before?.groupId ?? (await insertGroup(connection, contextId, group));
    if (outcome === 'changed') await updateGroup(connection, groupId, group);
    if (group.keysOf !== (before?.group.keysOf ?? null)) keysOf.set(groupId, group.keysOf);
    const fields = before && outcome === 'changed' && changedFields(before.group, group);
    items.push({ what: 'group', name: group.guid, outcome, ...(fields && { fields }) });
    items.push(
      ...(await applyMeters(connection, {
        groupId,
        guid: group.guid,
        existing: before?.meters ?? [],
        hasData: before?.hasData ?? false,
        meters: groups[i]?.meters ?? [],
      })),
    );
  }
  // Only now do all groups exist.
  for (const [groupId, guid] of keysOf) await updateKeysOf(connection, groupId, guid);
  return items;
}

async function loadExisting(
  connection: Connection,
  contextId: number,
): Promise<Map<Guid, ExistingGroup>> {
  const rows = await selectGroups(connection, contextId);
  const withData = await selectGroupsWithData(connection, contextId);
  const inUse = new Set(
    rows.flatMap((row) => (withData.has(row.groupId) ? [row.guid, ...row.partGuids] : [])),
  );
  return new Map(
    rows.map((row) => {
      const group = storedGroup(row);
      const { groupId, meters } = row;
      const hasData = inUse.has(row.guid);
      const stored = meters.map(({ slot: _, ...meter }): NewMeter => meter);
      return [group.guid, { groupId, group, meters: stored, hasData }];
    }),
  );
}

function storedGroup(row: GroupRow): NewGroup {
  const { name, keyKind, bucketSize, topperBucketSize, samplingRate, enabled } = row;
  const guid = storedGuid(row.guid);
  const partGuids = row.partGuids.map(storedGuid);
  const keysOf = row.keysOf === null ? null : storedGuid(row.keysOf);
  const sizes = { bucketSize, topperBucketSize, samplingRate };
  return { guid, name, keyKind, ...sizes, enabled, partGuids, keysOf };
}

/** Returns the wanted group. Declared values come first, then existing ones, then defaults. */
function wantedGroup(declared: DeclaredGroup, existing: ExistingGroup | undefined): NewGroup {
  const { guid, crosskey } = declared;
  return withChanges(existing?.group ?? newGroup(declared), {
    name: declared.name,
    keyKind: declared.key_kind,
    bucketSize: declared.bucket_size,
    topperBucketSize: declared.topper_bucket_size,
    samplingRate: declared.sampling_rate,
    enabled: declared.enabled,
    keysOf: declared.keys_of,
    partGuids: crosskey && [
      crosskey.parentguid,
      crosskey.crosskeyguid_1,
      ...(crosskey.crosskeyguid_2 === undefined ? [] : [crosskey.crosskeyguid_2]),
    ],
    guid,
  });
}

function newGroup({ guid, name, key_kind: keyKind }: DeclaredGroup): NewGroup {
  if (name === undefined || keyKind === undefined) {
    throw new DeclarationError(`group ${guid} is new and must have a name and a key_kind`);
  }
  return {
    guid,
    name,
    keyKind,
    bucketSize: 60,
    topperBucketSize: 300,
    samplingRate: 1,
    enabled: true,
    partGuids: [],
    keysOf: null,
  };
}

/** Throws if a property that existing keys and samples depend on would change. */
function refuseGroupChange(before: NewGroup, wanted: NewGroup): void {
  const fixed: [property: string, is: unknown, wanted: unknown][] = [
    ['key_kind', before.keyKind, wanted.keyKind],
    ['bucket_size', before.bucketSize, wanted.bucketSize],
    ['topper_bucket_size', before.topperBucketSize, wanted.topperBucketSize],
    ['crosskey', before.partGuids.join(' '), wanted.partGuids.join(' ')],
  ];
  for (const [property, is, becomes] of fixed) {
    refuseChange(`group ${before.guid}`, property, is, becomes);
  }
}
