import { foldCase } from '../domain/filters/search-text.ts';
import type { SimpleKeyKind } from '../domain/keys/key-kind.ts';
import { type Guid, storedGuid } from '../domain/text/guid.ts';
import type { Interval } from '../domain/time/interval.ts';
import type { CoveredSpan } from '../domain/time/newest-bucket.ts';
import { type ContextView, catalogOf } from './contexts.ts';
import type { Catalog, CounterGroupRow, MeterRow, ReadGroup } from './loaders/node-loaders.ts';

/** The groups of a cross-key's parts, in the order parent, first, second. */
type CrosskeyView = { readonly guids: readonly Guid[] };

export type CounterGroupView = {
  readonly at: ContextView;
  readonly row: CounterGroupRow;
  readonly guid: Guid;
  readonly crosskey: CrosskeyView | null;
  /** One kind for a simple group, a kind for each part of a cross-key group. */
  readonly kinds: readonly SimpleKeyKind[];
  /** The group as its segments and the texts of its keys are read. */
  readonly read: ReadGroup;
  readonly meters: readonly MeterRow[];
};

export type MeterView = { readonly group: CounterGroupView; readonly row: MeterRow };

/** Returns the enabled groups of the context, by name. */
export async function listGroups(at: ContextView): Promise<CounterGroupView[]> {
  const catalog = await catalogOf(at);
  const enabled = catalog.groups.filter((row) => row.enabled);
  return enabled.map((row) => viewGroup(at, row, catalog));
}

export async function findGroup(at: ContextView, guid: Guid): Promise<CounterGroupView | null> {
  const catalog = await catalogOf(at);
  const uuid = guid.slice(1, -1).toLowerCase();
  const row = catalog.groups.find((each) => each.enabled && each.guid === uuid);
  return row ? viewGroup(at, row, catalog) : null;
}

/** A group by its GUID, or by its name. */
export type GroupRef = { readonly guid: Guid } | { readonly name: string };

/** Returns the enabled group of a GUID or a name, or null. */
export const groupAt = async (at: ContextView, ref: GroupRef): Promise<CounterGroupView | null> =>
  'guid' in ref ? findGroup(at, ref.guid) : groupOfName(await listGroups(at), ref.name);

/**
 * Returns the group with this name as declared, or else the only one with it in upper or lower
 * case; null if there is none, or more than one.
 */
export function groupOfName(
  groups: readonly CounterGroupView[],
  name: string,
): CounterGroupView | null {
  const folded = foldCase(name);
  const exact = groups.filter(({ row }) => row.name === name);
  const alike = groups.filter(({ row }) => foldCase(row.name) === folded);
  const found = exact.length > 0 ? exact : alike;
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Returns the enabled group with this number, or null. */
export async function findGroupById(
  at: ContextView,
  groupId: number,
): Promise<CounterGroupView | null> {
  const catalog = await catalogOf(at);
  const row = catalog.groups.find((each) => each.enabled && each.groupId === groupId);
  return row ? viewGroup(at, row, catalog) : null;
}

/** Returns the groups in `guids` (null: all) whose name or GUID contains `search`. */
export async function searchGroups(
  at: ContextView,
  guids: readonly Guid[] | null,
  search: string | null,
): Promise<CounterGroupView[]> {
  const wanted = guids && new Set(guids);
  const text = search && foldCase(search);
  return (await listGroups(at))
    .filter(({ guid }) => !wanted || wanted.has(guid))
    .filter(({ row, guid }) => !text || foldCase(`${row.name}\n${guid}`).includes(text));
}

function viewGroup(at: ContextView, row: CounterGroupRow, catalog: Catalog): CounterGroupView {
  const guids = [row.parentGuid, row.crosskeyGuid1, row.crosskeyGuid2]
    .filter((part) => part !== null)
    .map(storedGuid);
  const read = catalog.readGroup(row.groupId);
  const { kinds } = read.codec;
  return {
    at,
    row,
    guid: storedGuid(row.guid),
    crosskey: read.isCrossKey ? { guids } : null,
    kinds,
    read,
    meters: catalog.metersOf(row.groupId),
  };
}

export const listMeters = (group: CounterGroupView): MeterView[] =>
  group.meters.map((row) => ({ group, row }));

export function findMeter(group: CounterGroupView, index: number): MeterView | null {
  const row = group.meters.find(({ meterId }) => meterId === index);
  return row ? { group, row } : null;
}

/** Returns the group that its keys are declared to be keys of, or null. */
export async function keysOf({ at, row }: CounterGroupView): Promise<CounterGroupView | null> {
  return row.keysOf === null ? null : findGroupById(at, row.keysOf);
}

/** The drill-downs of each group, which are the same for all of its keys. */
const drilldownsOfGroups = new WeakMap<CounterGroupView, Promise<CounterGroupView[]>>();

/** Returns the cross-key groups with keys like this group's in any position (decision 31). */
export function drilldownsOf(group: CounterGroupView): Promise<CounterGroupView[]> {
  const found =
    drilldownsOfGroups.get(group) ??
    listGroups(group.at).then((groups) =>
      groups.filter((crosskey) => partsLike(group, crosskey).length > 0),
    );
  drilldownsOfGroups.set(group, found);
  return found;
}

/** Returns the positions in a cross-key group's keys that have keys like this group's. */
export const partsLike = ({ read }: CounterGroupView, crosskey: CounterGroupView): number[] =>
  crosskey.read.partGroupIds.flatMap((id, part) => (id === read.keysGroupId ? [part] : []));

/** Returns where the group has readings that the caller may see, of one probe or (null) of all. */
export async function coverageOf(
  group: CounterGroupView,
  probeId: number | null,
): Promise<readonly CoveredSpan[]> {
  const { loaders, contextId } = group.at;
  return loaders.coverage.load({ contextId, group: group.read, probeId });
}

/** From the group's oldest available bucket to the end of its newest; null without data. */
export async function availableInterval(
  group: CounterGroupView,
  probeId: number | null,
): Promise<Interval | null> {
  return intervalOf(await coverageOf(group, probeId), group);
}

/** Returns the interval that a group's coverage spans; null without data. */
export function intervalOf(
  coverage: readonly CoveredSpan[],
  group: CounterGroupView,
): Interval | null {
  if (coverage.length === 0) return null;
  const from = coverage.reduce((min, row) => Math.min(min, row.firstBucket), Infinity);
  const last = coverage.reduce((max, row) => Math.max(max, row.lastBucket), 0);
  return { from, to: last + group.row.bucketSize };
}
