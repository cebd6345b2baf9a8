import DataLoader from 'dataloader';
import type { Deadline } from '../../db/session/read-session.ts';
import { type LabelledKeyRow, selectLabelledKeys, selectUserKeys } from '../../db/sql/key-texts.ts';
import { isGiven, type KeyFilter, patternsOf } from '../../domain/filters/key-filter.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { Interval } from '../../domain/time/interval.ts';
import { hasKey } from '../../segments/filter/key-set.ts';
import type { OwnLabels } from '../../segments/filter/plain-texts.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import { findKeys } from '../../store/read/find-keys.ts';
import type { DescribedKey, TextsOf } from '../cache/text-cache.ts';
import { seesKey } from '../fetch/visible-keys.ts';
import type { ReadGroup } from '../plan/catalog.ts';
import type { NamedMatcher } from '../plan/key-questions.ts';
import { byDeadline } from '../snapshot/batch.ts';
import { segmentsOfContexts } from '../snapshot/context-segments.ts';
import { inPauses } from '../snapshot/event-loop-scheduler.ts';
import type { ContextState, NodeReader } from '../snapshot/node-reader.ts';
import { describeKeys, type KeyToDescribe } from './describe-keys.ts';
import {
  countKeys,
  keysOfSet,
  type ListedKeys,
  NO_KEYS,
  type RawKeyPage,
  readKeyPage,
  sortedKeys,
} from './key-pages.ts';
import { checkFilter, matchKeys } from './match-keys.ts';
import { presentKeys, visibleKeys } from './present-keys.ts';

/** Keys of a group, in raw form. */
type DescribeRequest = {
  readonly contextId: number;
  readonly group: ReadGroup;
  readonly keys: readonly string[];
  readonly deadline: Deadline | null;
};

/** Loads the texts of keys by one statement for all requests, unless they are cached. */
export const describedKeysLoader = (
  reader: NodeReader,
): DataLoader<DescribeRequest, DescribedKey[]> =>
  new DataLoader(
    (requests) => byDeadline(requests, (batch, deadline) => describeAll(reader, batch, deadline)),
    { cache: false, batchScheduleFn: reader.batchScheduleFn },
  );

/** Keys whose texts are looked up at once, or requested by one statement: some 10 ms. */
const KEYS_AT_ONCE = 5_000;

function* inChunks<T>(items: readonly T[]): Iterable<readonly T[]> {
  if (items.length <= KEYS_AT_ONCE) yield items;
  else for (let i = 0; i < items.length; i += KEYS_AT_ONCE) yield items.slice(i, i + KEYS_AT_ONCE);
}

type Unknown = KeyToDescribe & { readonly state: ContextState; readonly at: TextsOf };

async function describeAll(
  reader: NodeReader,
  requests: readonly DescribeRequest[],
  deadline: Deadline | null,
): Promise<DescribedKey[][]> {
  const { texts } = reader.memory;
  const states = await statesOf(reader, requests);
  const unknown = new Map<string, Unknown>();
  const found: (DescribedKey | undefined)[][] = [];
  for (const { contextId, group, keys } of requests) {
    const state = states.get(contextId) as ContextState;
    // The texts of a key are the same for whoever sees the key.
    const { contextKey: context, versions } = state;
    const at = { context, textVersion: versions.textVersion, groupId: group.keysGroupId };
    const rows: (DescribedKey | undefined)[] = [];
    for (const some of inChunks(keys)) {
      for (const [i, row] of texts.find(at, some).entries()) {
        rows.push(row);
        const key = some[i] as string;
        if (!row) unknown.set(textsNameOf(group, key), { state, at, group, key });
      }
      if (some.length === KEYS_AT_ONCE) await reader.pause();
    }
    found.push(rows);
  }
  if (unknown.size === 0) return found as DescribedKey[][];
  const byName = await describeUnknown(reader, unknown, deadline);
  for (const [r, { group, keys }] of requests.entries()) {
    const rows = found[r] ?? [];
    for (const [i, key] of keys.entries()) rows[i] ??= byName.get(textsNameOf(group, key));
    if (keys.length >= KEYS_AT_ONCE) await reader.pause();
  }
  return found as DescribedKey[][];
}

/** Reads the texts of keys, and keeps them in memory. */
async function describeUnknown(
  reader: NodeReader,
  unknown: ReadonlyMap<string, Unknown>,
  deadline: Deadline | null,
): Promise<ReadonlyMap<string, DescribedKey>> {
  const { texts } = reader.memory;
  const byName = new Map<string, DescribedKey>();
  for (const some of inChunks([...unknown])) {
    const rows = await describeKeys(
      reader.session,
      some.map(([, key]) => key),
      deadline,
    );
    for (const [i, [name, { state, at }]] of some.entries()) {
      const row = rows[i];
      if (!row) continue;
      byName.set(name, row);
      if (state.snapshot === reader.session.snapshot) texts.keep(at, row);
    }
    if (some.length === KEYS_AT_ONCE) await reader.pause();
  }
  return byName;
}

/** Returns the states of all contexts in the requests. */
async function statesOf(
  reader: NodeReader,
  requests: readonly DescribeRequest[],
): Promise<ReadonlyMap<number, ContextState>> {
  const ids = [...new Set(requests.map(({ contextId }) => contextId))];
  const states = await Promise.all(ids.map((id) => reader.context(id)));
  return new Map(states.map((state) => [state.contextId, state]));
}

const textsNameOf = ({ keysGroupId }: ReadGroup, key: string): string => `${keysGroupId} ${key}`;

const nameOf = ({ groupId }: ReadGroup, key: string): string => `${groupId} ${key}`;

type KeyOfGroup = {
  readonly contextId: number;
  readonly group: ReadGroup;
  /** In raw form. */
  readonly key: string;
};

/** Loads whether keys exist: in an available slice, or because a user has given them texts. */
export const keyExistsLoader = (reader: NodeReader): DataLoader<KeyOfGroup, boolean, string> =>
  new DataLoader(
    async (requests) => {
      const exist = await existing(reader, requests);
      return requests.map((request) => exist.has(request));
    },
    {
      batchScheduleFn: reader.batchScheduleFn,
      cacheKeyFn: ({ group, key }) => nameOf(group, key),
    },
  );

async function existing(
  reader: NodeReader,
  requests: readonly KeyOfGroup[],
): Promise<ReadonlySet<KeyOfGroup>> {
  const reads = requests.map(({ contextId, group }) => ({ contextId, read: group }));
  const { states, segments } = await segmentsOfContexts(reader, reads);
  const seenByText = requests.filter(({ group, key }, i) => {
    return seesKey(states[i]?.limit?.keysWithTexts(group.groupId) ?? null, key);
  });
  const named = seenByText.map(({ group: { groupId }, key }) => ({ groupId, key }));
  const rows = named.length > 0 ? await selectUserKeys(reader.session, named) : [];
  const withTexts = new Set(rows.map(({ groupId, key }) => `${groupId} ${key}`));
  const exist = new Set(seenByText.filter(({ group, key }) => withTexts.has(nameOf(group, key))));
  for (const [limit, own] of groupBy(segments, (segment) => segment.limit)) {
    const open = requests.filter((request) => !exist.has(request) && seesKey(limit, request.key));
    if (open.length === 0) continue;
    const found = await findKeys({
      segments: own,
      missing: Array.from(
        groupBy(open, ({ group }) => group),
        ([{ groupId, codec }, ofGroup]) => ({
          groupId,
          codec,
          keys: ofGroup.map(({ key }) => key),
        }),
      ),
      fetch: (pages) => reader.segments.fetch(pages, null),
      pause: () => reader.pause(),
    });
    for (const request of open) {
      if (found.get(request.group.groupId)?.has(request.key)) exist.add(request);
    }
  }
  return exist;
}

/** The keys of a group that have texts. There may be as many as the group has keys. */
type LabelledGroup = {
  /** Labels by raw key. */
  readonly labels: ReadonlyMap<string, string>;
  /** Keys with texts that a user gave: they exist even without readings. */
  readonly byUser: readonly string[];
};

/** Loads the keys of groups that have texts. */
export const labelledKeysLoader = (reader: NodeReader): DataLoader<number, LabelledGroup> =>
  new DataLoader(
    async (groupIds) => {
      const rows = groupBy(
        await selectLabelledKeys(reader.session, groupIds, null),
        ({ groupId }) => groupId,
      );
      const labelled: LabelledGroup[] = [];
      for (const groupId of groupIds) {
        labelled.push(await labelledGroup(reader, rows.get(groupId)));
      }
      return labelled;
    },
    { batchScheduleFn: reader.batchScheduleFn },
  );

async function labelledGroup(
  reader: NodeReader,
  rows: readonly LabelledKeyRow[] = [],
): Promise<LabelledGroup> {
  const labels = new Map<string, string>();
  const byUser: string[] = [];
  for (const { key, label, isByUser } of rows) {
    await reader.afterKeys(1);
    if (label !== null) labels.set(key, label);
    if (isByUser) byUser.push(key);
  }
  return { labels, byUser };
}

type LabelledKeys = ReturnType<typeof labelledKeysLoader>;

/** Returns the labels that a search in a group uses. */
async function ownLabels(
  labelled: LabelledKeys,
  { keysGroupId, isCrossKey, partGroupIds }: ReadGroup,
): Promise<OwnLabels> {
  const labelsIn = async (id: number | null): Promise<ReadonlyMap<string, string>> =>
    id === null ? new Map() : (await labelled.load(id)).labels;
  const [keys, parts] = await Promise.all([
    labelsIn(keysGroupId),
    Promise.all(isCrossKey ? partGroupIds.map(labelsIn) : []),
  ]);
  return { keys, parts };
}

/** A list of keys of a group. */
type ListRequest = {
  readonly contextId: number;
  readonly group: ReadGroup;
  /** null: all keys pass. */
  readonly filter: KeyFilter | null;
  /** Only keys with a reading in this window; null: all. */
  readonly window: Interval | null;
};

type PageRequest = ListRequest & {
  /** In raw form. */
  readonly after: string | null;
  readonly limit: number;
};

/** Keys in raw form, and whether more follow. */
export type KeyPage = { readonly keys: readonly DescribedKey[]; readonly hasMore: boolean };

export function createKeyLists(
  reader: NodeReader,
  labelled: LabelledKeys,
  described: DataLoader<DescribeRequest, DescribedKey[]>,
) {
  /** Once for all lists of a group: it may be all of its keys. */
  const keysWithTexts = new DataLoader<ReadGroup, KeyList, number>(
    (groups) =>
      Promise.all(
        groups.map(async ({ groupId, codec }) => {
          const { byUser } = await labelled.load(groupId);
          return sortedKeys(reader.segments, codec, byUser);
        }),
      ),
    { batchScheduleFn: reader.batchScheduleFn, cacheKeyFn: ({ groupId }) => groupId },
  );
  /** Lists requested together are ready together, so that their keys are read together. */
  const listed = new DataLoader<ListRequest, ListedKeys>(
    async (requests) => {
      const found = await Promise.allSettled(requests.map(listedKeys));
      return found.map((each) => (each.status === 'fulfilled' ? each.value : each.reason));
    },
    { cache: false, batchScheduleFn: reader.batchScheduleFn },
  );
  async function listedKeys(request: ListRequest): Promise<ListedKeys> {
    const { contextId, group, filter, window } = request;
    const { states, segments: live } = await segmentsOfContexts(reader, [
      { contextId, read: group },
    ]);
    const isSearch = filter !== null && isGiven(filter.search);
    const labels = isSearch ? await ownLabels(labelled, group) : null;
    const matches = filter && (await keysFound(group, filter, labels));
    const common = { group, matches, deadline: null };
    if (window) {
      const segments = await presentKeys(reader.segments, { group, live, window, deadline: null });
      return { ...common, segments, withTexts: NO_KEYS };
    }
    const withTexts = await visibleWithTexts(states[0] as ContextState, group);
    const segments = await visibleKeys(reader.segments, live, null);
    return { ...common, segments, withTexts };
  }
  async function visibleWithTexts({ limit }: ContextState, group: ReadGroup): Promise<KeyList> {
    const seen = limit?.keysWithTexts(group.groupId) ?? null;
    if (seen === 'nothing') return NO_KEYS;
    const keys = await keysWithTexts.load(group);
    if (seen === null) return keys;
    const { threadPool, caller } = reader.segments;
    const [visible] = await threadPool.limit([keys], seen, caller);
    return visible ? inPauses(reader, keysOfSet(keys, visible)) : NO_KEYS;
  }
  /** Returns a function that finds the keys that pass. Errors: those of compileKeyFilter. */
  async function keysFound(
    { shape: { keyKind, partKinds }, codec: { kinds } }: ReadGroup,
    filter: KeyFilter,
    labels: OwnLabels | null,
  ): Promise<ListedKeys['matches']> {
    const names = { match: 'match', exclude: 'exclude' };
    await checkFilter(reader, { filter, kinds, of: 'keys', names });
    return async (keys) => {
      const found = await matchKeys(reader, keys, { keyKind, partKinds, filter, labels });
      return (ordinal) => hasKey(found, ordinal);
    };
  }
  const rawPage = async ({ after, limit, ...list }: PageRequest): Promise<RawKeyPage> =>
    readKeyPage(reader.segments, await listed.load(list), { after, limit });
  /** Waits even for long searches, so that the texts of the keys of all pages are read together. */
  const pages = new DataLoader<PageRequest, KeyPage>(
    async (requests) => {
      const found = requests.map(rawPage);
      await Promise.allSettled(found);
      const describe = async ({ contextId, group }: PageRequest, page: Promise<RawKeyPage>) => {
        const { keys, hasMore } = await page;
        return {
          keys: await described.load({ contextId, group, keys, deadline: null }),
          hasMore,
        };
      };
      return Promise.all(
        requests.map((request, i) =>
          describe(request, found[i] as Promise<RawKeyPage>).catch((error: Error) => error),
        ),
      );
    },
    { cache: false, batchScheduleFn: reader.batchScheduleFn },
  );
  return {
    page: (request: PageRequest): Promise<KeyPage> => pages.load(request),
    count: async (list: ListRequest): Promise<number> =>
      countKeys(reader.segments, await listed.load(list)),
  };
}

export type KeyMatcherRequest = {
  readonly contextId: number;
  readonly group: ReadGroup;
  readonly filter: KeyFilter;
  /** Whether to filter keys, or the networks that contain them. */
  readonly of: 'keys' | 'networks';
};

/**
 * Returns a filter to apply to sorted keys. A search uses the current version of the labels, which
 * are read when they are first needed.
 */
export async function keyMatcher(
  reader: NodeReader,
  labelled: LabelledKeys,
  { contextId, group, filter, of }: KeyMatcherRequest,
): Promise<NamedMatcher> {
  if (of === 'networks') return networkMatcher(reader, filter);
  const isSearch = isGiven(filter.search);
  const { versions, memoryKey } = await reader.context(contextId);
  const { keyKind, partKinds } = group.shape;
  const version = isSearch ? ` ${versions.textVersion} ${memoryKey}` : '';
  return {
    name: `${JSON.stringify(filter)}${version}`,
    isPriced: patternsOf(filter).length > 0,
    match: async (keys) => {
      const labels = isSearch ? await ownLabels(labelled, group) : null;
      return matchKeys(reader, keys, { keyKind, partKinds, filter, labels });
    },
  };
}

/** The texts of keys do not apply to networks, which have no labels. */
const networkMatcher = (reader: NodeReader, filter: KeyFilter): NamedMatcher => ({
  name: `networks ${JSON.stringify(filter)}`,
  match: (keys) => matchKeys(reader, keys, { networks: filter }),
});
