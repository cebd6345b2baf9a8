import DataLoader from 'dataloader';
import type { KeyGroup, KeyRow } from '../../db/queries/key-columns.ts';
import { selectKeyTexts } from '../../db/queries/select-key-texts.ts';
import type { TimeBound } from '../../db/read-session.ts';
import type { KeyBits } from '../../topk/key-bits.ts';
import { byBound } from './batch.ts';
import type { KnownKeys } from './filter-memory.ts';
import type { ContextState, NodeReader } from './node-reader.ts';

/** Keys of a group that pass a test. */
export type PassingKeysRequest = {
  readonly contextId: number;
  readonly group: KeyGroup;
  readonly shardCount: number;
  /** The filter as text: two of the same text are the same test. */
  readonly filter: string;
  readonly test: KeyTest;
  readonly bound: TimeBound | null;
};

/** A test of raw keys, or one that wants to know labels too, which change. */
export type KeyTest =
  | { readonly kind: 'text'; readonly passes: (key: string) => boolean }
  | { readonly kind: 'row'; readonly passes: (row: KeyRow) => boolean };

type GroupKeys = { load(group: KeyGroup & { bound: TimeBound | null }): Promise<KeyRow[]> };

/** The keys that pass, matched once for each key and remembered from request to request. */
export const passingKeysLoader = (
  reader: NodeReader,
  groupKeys: GroupKeys,
): DataLoader<PassingKeysRequest, KeyBits, string> =>
  new DataLoader(
    (requests) =>
      byBound(requests, async (batch, bound) => {
        const keys = await learnKeys(reader, batch, bound);
        return Promise.all(
          batch.map((request, place) => match(reader, groupKeys, request, keys[place])),
        );
      }),
    { cacheKeyFn: ({ group, filter, bound }) => `${group.groupId} ${bound?.seconds} ${filter}` },
  );

async function match(
  { memory }: NodeReader,
  groupKeys: GroupKeys,
  { group, filter, test, bound }: PassingKeysRequest,
  known: { state: ContextState; keys: KnownKeys } | undefined,
): Promise<KeyBits> {
  if (!known) throw new Error('the keys of a group were not learned');
  const { texts } = known.keys;
  const { memoryKey, versions } = known.state;
  const name = `${memoryKey} ${group.groupId} ${filter}`;
  if (test.kind === 'text') return memory.filters.passing(name, texts, (key) => test.passes(key));
  // Labels may be others at another version of the texts.
  const named = `${name} ${versions.textVersion} ${versions.version}`;
  return memory.filters.passing(named, texts, await rowTest(groupKeys, group, test, bound));
}

async function rowTest(
  groupKeys: GroupKeys,
  group: KeyGroup,
  test: Extract<KeyTest, { kind: 'row' }>,
  bound: TimeBound | null,
): Promise<(key: string) => boolean> {
  const rows = await groupKeys.load({ ...group, bound });
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return (key) => {
    const row = byKey.get(key);
    return row !== undefined && test.passes(row);
  };
}

/** Makes all keys of the requests' groups known, by reading those that are not, in one statement. */
async function learnKeys(
  reader: NodeReader,
  requests: readonly PassingKeysRequest[],
  bound: TimeBound | null,
): Promise<{ state: ContextState; keys: KnownKeys }[]> {
  const { session, memory } = reader;
  const known = await Promise.all(
    requests.map(async ({ contextId, group }) => {
      const state = await reader.context(contextId);
      return { state, keys: memory.filters.keysOf(`${state.memoryKey} ${group.groupId}`) };
    }),
  );
  const behind = new Map<
    number,
    { request: PassingKeysRequest; keys: KnownKeys; version: number }
  >();
  for (const [place, request] of requests.entries()) {
    const found = known[place];
    if (!found || found.keys.version >= found.state.versions.version) continue;
    const { version } = found.state.versions;
    behind.set(request.group.groupId, { request, keys: found.keys, version });
  }
  if (behind.size === 0) return known;
  const { snapshot } = session;
  const reads = [...behind.values()].map(({ request, keys }) => ({
    groupId: request.group.groupId,
    after: Array.from({ length: request.shardCount }, (_, shard) => ({
      ...{ shard, keyId: (keys.texts[shard]?.length ?? 0) - 1 },
    })),
  }));
  for (const { groupId, shard, keyIds, keys: lines } of await selectKeyTexts(
    session,
    reads,
    bound,
  )) {
    const keys = behind.get(groupId)?.keys;
    if (keys) learn(keys, shard, keyIds, lines);
  }
  for (const { keys, version } of behind.values()) {
    if (session.snapshot === snapshot) keys.version = Math.max(keys.version, version);
  }
  memory.filters.shrinkKeys();
  return known;
}

/** About what a string takes besides its characters. */
const STRING_BYTES = 40;

function learn(known: KnownKeys, shard: number, keyIds: readonly number[], lines: string): void {
  for (let before = known.texts.length; before <= shard; before += 1) known.texts.push([]);
  const ofShard = known.texts[shard] ?? [];
  for (const [i, text] of lines.split('\n').entries()) ofShard[keyIds[i] ?? 0] = text;
  known.bytes += lines.length + STRING_BYTES * keyIds.length;
}
