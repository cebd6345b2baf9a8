import DataLoader from 'dataloader';
import type { KeyGroup, KeyRow } from '../../db/queries/key-columns.ts';
import { type PartOfCrossKey, selectCrossKeys } from '../../db/queries/select-cross-keys.ts';
import { selectGroupKeys } from '../../db/queries/select-group-keys.ts';
import { selectKeyCounts } from '../../db/queries/select-key-counts.ts';
import { type KeyPageRequest, selectKeyPages } from '../../db/queries/select-key-page.ts';
import { type KeyId, selectKeysById } from '../../db/queries/select-keys-by-id.ts';
import { type KeyOfGroup, selectKeysByText } from '../../db/queries/select-keys-by-text.ts';
import type { ReadSession, TimeBound } from '../../db/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { KeyPlace } from '../../topk/key-rows.ts';
import { byBound, oneLoader } from './batch.ts';
import type { ContextState, NodeReader } from './node-reader.ts';

type Bounded = { bound: TimeBound | null };

/** Keys of a group by the ids that readings carried. */
export type KeysByIdRequest = Bounded & {
  readonly contextId: number;
  readonly group: KeyGroup;
  readonly places: readonly KeyPlace[];
};

/** The keys of all requests in one statement; those that are remembered need none. */
export const keysByIdLoader = (
  reader: NodeReader,
): DataLoader<KeysByIdRequest, (KeyRow | null)[]> =>
  new DataLoader(
    (requests) => byBound(requests, (batch, bound) => findKeys(reader, batch, bound)),
    { cache: false },
  );

async function findKeys(
  reader: NodeReader,
  requests: readonly KeysByIdRequest[],
  bound: TimeBound | null,
): Promise<(KeyRow | null)[][]> {
  const { keys } = reader.memory;
  const states = await Promise.all(requests.map(({ contextId }) => reader.context(contextId)));
  const unknown = new Map<string, { id: KeyId; state: ContextState }>();
  const answers = requests.map(({ group, places }, i) => {
    const state = states[i] as ContextState;
    return places.map(({ shard, keyId }) => {
      const text = idText(group.groupId, { shard, keyId });
      const known = keys.find(state.memoryKey, state.versions.textVersion, text);
      if (!known) unknown.set(text, { id: { group, shard, keyId }, state });
      return known ?? text;
    });
  });
  const found = await readKeys(reader, unknown, bound);
  return answers.map((places) =>
    places.map((known) => (typeof known === 'string' ? (found.get(known) ?? null) : known)),
  );
}

async function readKeys(
  { session, memory }: NodeReader,
  unknown: ReadonlyMap<string, { id: KeyId; state: ContextState }>,
  bound: TimeBound | null,
): Promise<ReadonlyMap<string, KeyRow>> {
  if (unknown.size === 0) return new Map();
  const ids = [...unknown.values()].map(({ id }) => id);
  const rows = await selectKeysById(session, ids, bound);
  const found = new Map(rows.map((row) => [idText(row.groupId, row), row]));
  for (const [text, { state }] of unknown) {
    const row = found.get(text);
    if (!row || state.snapshot !== session.snapshot) continue;
    memory.keys.keep(state.memoryKey, state.versions.textVersion, text, row);
  }
  return found;
}

const idText = (groupId: number, { shard, keyId }: { shard: number; keyId: number }): string =>
  `${groupId} ${shard} ${keyId}`;

export const keyByTextLoader = (
  session: ReadSession,
): DataLoader<KeyOfGroup, KeyRow | null, string> =>
  oneLoader(
    (keys) => selectKeysByText(session, keys),
    ({ group, key }) => `${group.groupId} ${key}`,
    (row) => `${row.groupId} ${row.key}`,
  );

/** Every key of a group, in byte order. */
export const groupKeysLoader = (
  session: ReadSession,
): DataLoader<KeyGroup & Bounded, KeyRow[], number> =>
  new DataLoader(
    (groups) =>
      byBound(groups, async (batch, bound) => {
        const rows = groupBy(
          await selectGroupKeys(session, batch, bound),
          ({ groupId }) => groupId,
        );
        return batch.map(({ groupId }) => rows.get(groupId) ?? []);
      }),
    { cacheKeyFn: ({ groupId }) => groupId },
  );

export const keyPageLoader = (session: ReadSession): DataLoader<KeyPageRequest, KeyRow[], string> =>
  new DataLoader(
    async (requests) => {
      const pages: KeyRow[][] = requests.map(() => []);
      for (const { request, ...row } of await selectKeyPages(session, requests)) {
        pages[request]?.push(row);
      }
      return pages;
    },
    { cacheKeyFn: ({ group, after, limit }) => JSON.stringify([group.groupId, after, limit]) },
  );

export const keyCountLoader = (session: ReadSession): DataLoader<number, number> =>
  new DataLoader(async (groupIds) => {
    const rows = await selectKeyCounts(session, groupIds);
    const counts = new Map(rows.map(({ groupId, keys }) => [groupId, keys]));
    return groupIds.map((groupId) => counts.get(groupId) ?? 0);
  });

/** The ids of the cross-keys that have a key in a position. */
export const crossKeysLoader = (
  session: ReadSession,
): DataLoader<PartOfCrossKey & Bounded, { shard: number; keyId: number }[], string> =>
  new DataLoader(
    (parts) =>
      byBound(parts, async (batch, bound) => {
        const answers: { shard: number; keyId: number }[][] = batch.map(() => []);
        for (const { request, shard, keyId } of await selectCrossKeys(session, batch, bound)) {
          answers[request]?.push({ shard, keyId });
        }
        return answers;
      }),
    { cacheKeyFn: ({ groupId, position, part }) => `${groupId} ${position} ${part}` },
  );
