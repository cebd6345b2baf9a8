import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ContextLimit, GrantLimit, LimitNetworks } from '../../domain/callers/grant-limit.ts';
import { parseNetworks } from '../../domain/filters/network-filter.ts';
import { runWhole } from '../../domain/sliced.ts';
import { liesInNetworks } from '../../segments/filter/network-keys.ts';
import type { LiveSegments, StoredSegment } from '../../store/read/manifest.ts';
import { ALL_PROBES } from '../../store/roll-up/plan-roll-up.ts';
import type { Catalog, CounterGroupRow, ReadGroup } from './catalog.ts';
import type { KeyLimit, ScopedSegments } from './scoped-segment.ts';

/** Which keys may be seen of something; null: all. */
export type Seen = 'nothing' | KeyLimit | null;

/** What of a context may be seen, applied to what the context has on a node. */
export type OpenLimit = {
  /** Limits of the same name are the same. */
  readonly name: string;
  readonly seesGroup: (group: CounterGroupRow) => boolean;
  readonly seesProbe: (probe: string) => boolean;
  /** Whether the readings of a probe may be seen whatever they are of. */
  readonly seesAllOf: (probe: string) => boolean;
  /** Returns which keys of a group may be seen in the readings of a probe. */
  readonly keysOf: (groupId: number, probeId: number) => Seen;
  /** The same for readings of all probes together; 'nothing' also if the probes differ. */
  readonly keysOfAllProbes: (groupId: number) => Seen;
  /** The same for the probe of this name, which need not exist. */
  readonly keysOfProbe: (groupId: number, probe: string) => Seen;
  /** Returns which keys may be seen because of their texts, without any reading. */
  readonly keysWithTexts: (groupId: number) => Seen;
};

/** A catalog with the groups and probes that may be seen, and the limit that says so. */
export type LimitedCatalog = { readonly limit: OpenLimit; readonly catalog: Catalog };

/** In full, limits would be parts of thousands of names in the cache. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** By catalog, which never changes, and name of the limit. */
const opened = new WeakMap<Catalog, Map<string, LimitedCatalog>>();

/** Applies a limit to a catalog. */
export function limitCatalog(catalog: Catalog, limit: NonNullable<ContextLimit>): LimitedCatalog {
  const name = digestOf(JSON.stringify(limit));
  const ofCatalog = opened.get(catalog) ?? new Map<string, LimitedCatalog>();
  opened.set(catalog, ofCatalog);
  const found = ofCatalog.get(name) ?? limited(catalog, openLimit(name, limit, catalog));
  ofCatalog.set(name, found);
  return found;
}

function limited(catalog: Catalog, limit: OpenLimit): LimitedCatalog {
  const groups = catalog.groups.filter(limit.seesGroup);
  const visible = new Set(groups.map(({ groupId }) => groupId));
  const readGroup = (groupId: number): ReadGroup => {
    if (visible.has(groupId)) return catalog.readGroup(groupId);
    throw new Error(`the caller may not see group ${groupId}`);
  };
  const probes = catalog.probes.filter(({ name }) => limit.seesProbe(name));
  return { limit, catalog: { ...catalog, groups, probes, readGroup } };
}

function openLimit(name: string, limit: NonNullable<ContextLimit>, catalog: Catalog): OpenLimit {
  const probes = new Map(catalog.probes.map((probe) => [probe.probeId, probe.name]));
  const groups = new Map(catalog.groups.map((group) => [group.groupId, group]));
  const known = new Map<string, Seen>();
  const seen = (groupId: number, of: string, covers: (each: GrantLimit) => boolean): Seen => {
    const group = groups.get(groupId);
    const key = `${groupId} ${of}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = group ? seenOf(group, limit.filter(covers)) : 'nothing';
    known.set(key, made);
    return made;
  };
  const keyLimits = new Map<string, KeyLimit>();
  const seenOf = (group: CounterGroupRow, covering: readonly GrantLimit[]): Seen => {
    const own = covering.filter((each) => coversGroup(catalog, each, group));
    if (own.length === 0) return 'nothing';
    if (own.some(({ networks }) => networks === null)) return null;
    const { codec, shape } = catalog.readGroup(group.groupId);
    const { keyKind, partKinds } = shape;
    // Groups and probes may be many, and all have one of a few limits.
    const which = own.map((each) => limit.indexOf(each)).join();
    const key = `${which} ${keyKind} ${partKinds?.join()}`;
    const texts = () => own.flatMap(({ networks }) => networks ?? []).sort();
    const made = keyLimits.get(key) ?? {
      ...networksOf(texts()),
      codec,
      kinds: { keyKind, partKinds },
    };
    keyLimits.set(key, made);
    return made;
  };
  const isWithoutProbes = (each: GrantLimit): boolean => each.probes === null;
  const ofProbe = (probe: string | undefined) => (each: Pick<GrantLimit, 'probes'>) =>
    each.probes === null || (probe !== undefined && each.probes.includes(probe));
  const keysWithTexts = (groupId: number) => seen(groupId, 'all', isWithoutProbes);
  return {
    name,
    seesGroup: (group) => limit.some((each) => coversGroup(catalog, each, group)),
    seesProbe: (probe) => limit.some(ofProbe(probe)),
    seesAllOf: (probe) =>
      limit.some(
        ({ networks, groups: of, ...each }) =>
          networks === null && of === null && ofProbe(probe)(each),
      ),
    keysOf: (groupId, probeId) => seen(groupId, `${probeId}`, ofProbe(probes.get(probeId))),
    keysOfAllProbes(groupId) {
      const group = groups.get(groupId);
      const own = limit.filter((each) => group && coversGroup(catalog, each, group));
      return own.every(isWithoutProbes) ? keysWithTexts(groupId) : 'nothing';
    },
    keysOfProbe: (groupId, probe) => seen(groupId, `probe ${probe}`, ofProbe(probe)),
    keysWithTexts,
  };
}

/** With networks, only groups whose keys have addresses are there. */
function coversGroup(catalog: Catalog, limit: GrantLimit, { guid, groupId }: CounterGroupRow) {
  if (limit.groups !== null && !limit.groups.includes(guid)) return false;
  return limit.networks === null || catalog.readGroup(groupId).codec.kinds.some(liesInNetworks);
}

/** By the texts of networks: what they are. A list may have a thousand. */
const parsed = new LRUCache<string, LimitNetworks>({ max: 100 });

/** Parses networks, once however often the same ones are asked for. */
function networksOf(texts: readonly string[]): Pick<KeyLimit, 'name' | 'networks'> {
  const name = digestOf(texts.join());
  const networks = parsed.get(name) ?? runWhole(parseNetworks(texts, 'networks'));
  parsed.set(name, networks);
  return { name, networks };
}

/** Returns the segments that the caller may see, each with its limit. */
export const limitSegments = (
  { segments, rollUps }: LiveSegments,
  limit: OpenLimit | null,
): ScopedSegments => ({
  segments: scoped(segments, limit),
  rollUps: scoped(rollUps, limit),
});

const scoped = <Segment extends StoredSegment>(
  segments: readonly Segment[],
  limit: OpenLimit | null,
): (Segment & { readonly limit: KeyLimit | null })[] =>
  segments.flatMap((segment) => {
    const seen = limit === null ? null : seenInSegment(limit, segment);
    return seen === 'nothing' ? [] : [{ ...segment, limit: seen }];
  });

const seenInSegment = (limit: OpenLimit, { groupId, probeId }: StoredSegment): Seen =>
  probeId === ALL_PROBES ? limit.keysOfAllProbes(groupId) : limit.keysOf(groupId, probeId);
