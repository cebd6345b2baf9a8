import type {
  CatalogRow,
  CatalogSliceRow,
  CounterGroupRow,
  CoverageRow,
  MeterRow,
  ProbeRow,
} from '../../db/sql/catalog.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { type Aggregate, aggregateOf } from '../../domain/toppers/meter-type.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import type { SegmentGroup } from './key-questions.ts';

export type {
  CatalogSliceRow,
  CounterGroupRow,
  CoverageRow,
  MeterRow,
  ProbeRow,
} from '../../db/sql/catalog.ts';

/** A group, for looking up texts of keys: the parts of cross-keys have labels in other groups. */
export type DescribedGroup = {
  /**
   * The group that its keys are keys of: itself, or another one (`keys_of`). Their texts and
   * drill-downs are that group's.
   */
  readonly keysGroupId: number;
  readonly isCrossKey: boolean;
  /** The same by part; null: its group no longer exists. */
  readonly partGroupIds: readonly (number | null)[];
};

/** A group with what is needed to read its segments and the texts of its keys. */
export type ReadGroup = SegmentGroup & DescribedGroup;

/** A context's groups and the extent of their data, at one version. */
export type Catalog = {
  readonly version: number;
  /** Approximate size in memory. */
  readonly bytes: number;
  readonly sliceSeconds: number;
  readonly groups: readonly CounterGroupRow[];
  readonly probes: readonly ProbeRow[];
  readonly metersOf: (groupId: number) => readonly MeterRow[];
  readonly coverageOf: (groupId: number) => readonly CoverageRow[];
  /** Returns a group of the catalog, made on first use. */
  readonly readGroup: (groupId: number) => ReadGroup;
  /** Available slices, oldest first. */
  readonly slices: readonly CatalogSliceRow[];
};

export function openCatalog(row: CatalogRow, version: number): Catalog {
  const meters = groupBy(row.meters, ({ groupId }) => groupId);
  const coverage = groupBy(row.coverage, ({ groupId }) => groupId);
  const readGroups = new Map<number, ReadGroup>();
  const metersOf = (groupId: number) => meters.get(groupId) ?? [];
  return {
    version,
    bytes: ROW_BYTES * LISTS.reduce((count, list) => count + row[list].length, 1),
    sliceSeconds: row.sliceSeconds,
    groups: row.groups,
    probes: row.probes,
    slices: row.slices,
    metersOf,
    coverageOf: (groupId) => coverage.get(groupId) ?? [],
    readGroup(groupId) {
      const known = readGroups.get(groupId);
      if (known) return known;
      const made = openGroup(row.groups, groupId, metersOf(groupId));
      readGroups.set(groupId, made);
      return made;
    },
  };
}

const LISTS = ['groups', 'meters', 'probes', 'slices', 'coverage'] as const;

/** Approximate size of a row in one of these lists, including its entries in maps. */
const ROW_BYTES = 200;

function openGroup(
  groups: readonly CounterGroupRow[],
  groupId: number,
  meters: readonly MeterRow[],
): ReadGroup {
  const row = groups.find((each) => each.groupId === groupId);
  if (!row) throw new Error(`the catalog has no group ${groupId}`);
  const isCrossKey = row.keyKind === 'crosskey';
  const parts = [row.parentGuid, row.crosskeyGuid1, row.crosskeyGuid2]
    .filter((guid) => guid !== null)
    .map((guid) => groups.find((group) => group.guid === guid) ?? null);
  const shape = {
    keyKind: row.keyKind,
    partKinds: isCrossKey ? parts.map(kindOfPart) : null,
    bucketSeconds: row.bucketSize,
    topperBucketSeconds: row.topperBucketSize,
    aggregates: aggregatesOf(meters),
  };
  return {
    groupId,
    shape,
    codec: keyCodecOf(shape),
    keysGroupId: keysGroupOf(row),
    isCrossKey,
    partGroupIds: parts.map((part) => part && keysGroupOf(part)),
  };
}

const keysGroupOf = ({ keysOf, groupId }: CounterGroupRow): number => keysOf ?? groupId;

/** A part is never itself a cross-key (decision 31); if its group no longer exists, it is text. */
const kindOfPart = (part: CounterGroupRow | null | undefined): SimpleKeyKind =>
  part && part.keyKind !== 'crosskey' ? part.keyKind : 'text';

/** Returns, by index of the meter, how its readings combine. */
function aggregatesOf(meters: readonly MeterRow[]): (Aggregate | null)[] {
  const last = Math.max(-1, ...meters.map(({ meterIndex }) => meterIndex));
  const aggregates = new Array<Aggregate | null>(last + 1).fill(null);
  for (const { meterIndex, type } of meters) aggregates[meterIndex] = aggregateOf(type);
  return aggregates;
}
