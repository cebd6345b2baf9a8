import DataLoader from 'dataloader';
import type { KeyGroup, KeyRow } from '../../db/queries/key-columns.ts';
import { type KeyTextsRow, selectKeyTexts } from '../../db/queries/select-key-texts.ts';
import type { TimeBound } from '../../db/read-session.ts';
import type { KeyBounds } from '../../domain/key-bounds.ts';
import type { KeyBits } from '../../topk/key-bits.ts';
import { byBound } from './batch.ts';
import { type BoundedFilter, passingBounded } from './bounded-filters.ts';
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

/**
 * A test of raw keys, or one that wants to know labels too, which change. bounds: where the keys
 * are that the test has to be asked about; null: anywhere.
 */
export type KeyTest =
  | {
      readonly kind: 'text';
      readonly passes: (key: string) => boolean;
      readonly bounds: KeyBounds | null;
    }
  | { readonly kind: 'row'; readonly passes: (row: KeyRow) => boolean };

type GroupKeys = { load(group: KeyGroup & { bound: TimeBound | null }): Promise<KeyRow[]> };

/** The keys that pass, matched once for each key and remembered from request to request. */
export const passingKeysLoader = (
  reader: NodeReader,
  groupKeys: GroupKeys,
): DataLoader<PassingKeysRequest, KeyBits, string> =>
  new DataLoader(
    (requests) => byBound(requests, (batch, bound) => matchAll(reader, groupKeys, batch, bound)),
    { cacheKeyFn: ({ group, filter, bound }) => `${group.groupId} ${bound?.seconds} ${filter}` },
  );

async function matchAll(
  reader: NodeReader,
  groupKeys: GroupKeys,
  requests: readonly PassingKeysRequest[],
  bound: TimeBound | null,
): Promise<KeyBits[]> {
  const placed = await Promise.all(
    requests.map(async (request) => {
      const state = await reader.context(request.contextId);
      return { request, state, bounded: boundedFilter(request, state) };
    }),
  );
  const bounded = placed.flatMap((each) => each.bounded ?? []);
  const others = placed.filter((each) => each.bounded === null);
  const [ofBounded, learned] = await Promise.all([
    passingBounded(reader, bounded, bound),
    learnKeys(reader, others, bound),
  ]);
  // The rows that are looked at below, in one statement for all.
  const looked = requests.filter(({ test }) => test.kind === 'row');
  await Promise.all(looked.map(({ group }) => groupKeys.load({ ...group, bound })));
  const passing: KeyBits[] = [];
  // One after the other: what is left when the time is over is not begun.
  for (const { request, bounded: filter } of placed) {
    await reader.goOn();
    const found = filter && ofBounded[bounded.indexOf(filter)];
    passing.push(found ?? (await match(reader, groupKeys, request, learned.get(request))));
  }
  return passing;
}

/** null: any key may have to be looked at. */
function boundedFilter(
  { group: { groupId }, shardCount, filter, test }: PassingKeysRequest,
  state: ContextState,
): BoundedFilter | null {
  if (test.kind !== 'text' || test.bounds === null) return null;
  const { bounds, passes } = test;
  const name = `${state.memoryKey} ${groupId} ${filter}`;
  return { state, name, groupId, shardCount, bounds, passes };
}

async function match(
  { memory }: NodeReader,
  groupKeys: GroupKeys,
  { group, filter, test, bound }: PassingKeysRequest,
  known: Learned | undefined,
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

/** All filters of a request look at the same rows. */
const rowsByKey = new WeakMap<readonly KeyRow[], ReadonlyMap<string, KeyRow>>();

async function rowTest(
  groupKeys: GroupKeys,
  group: KeyGroup,
  test: Extract<KeyTest, { kind: 'row' }>,
  bound: TimeBound | null,
): Promise<(key: string) => boolean> {
  const rows = await groupKeys.load({ ...group, bound });
  const byKey = rowsByKey.get(rows) ?? new Map(rows.map((row) => [row.key, row]));
  rowsByKey.set(rows, byKey);
  return (key) => {
    const row = byKey.get(key);
    return row !== undefined && test.passes(row);
  };
}

type Learned = { readonly state: ContextState; readonly keys: KnownKeys };

/** Makes all keys of the requests' groups known, by reading those that are not, in one statement. */
async function learnKeys(
  { memory, session }: NodeReader,
  requests: readonly { readonly request: PassingKeysRequest; readonly state: ContextState }[],
  bound: TimeBound | null,
): Promise<ReadonlyMap<PassingKeysRequest, Learned>> {
  const learned = new Map<PassingKeysRequest, Learned>();
  const behind = new Map<KnownKeys, { request: PassingKeysRequest; version: number }>();
  for (const { request, state } of requests) {
    const keys = memory.filters.keysOf(`${state.memoryKey} ${request.group.groupId}`);
    const { version } = state.versions;
    learned.set(request, { state, keys });
    if (keys.version < version) behind.set(keys, { request, version });
  }
  if (behind.size === 0) return learned;
  const { snapshot } = session;
  const known = [...behind.keys()];
  const reads = [...behind].map(([{ texts }, { request }]) => ({
    groupId: request.group.groupId,
    after: Array.from({ length: request.shardCount }, (_, shard) => ({
      ...{ shard, keyId: (texts[shard]?.length ?? 0) - 1 },
    })),
  }));
  for (const row of await selectKeyTexts(session, reads, bound)) {
    const keys = known[row.read];
    if (keys) learn(keys, row);
  }
  for (const [keys, { version }] of behind) {
    if (session.snapshot === snapshot) keys.version = Math.max(keys.version, version);
  }
  memory.filters.shrinkKeys();
  return learned;
}

/** About what a string takes besides its characters. */
const STRING_BYTES = 40;

function learn(known: KnownKeys, { shard, keyIds, texts }: KeyTextsRow): void {
  for (let before = known.texts.length; before <= shard; before += 1) known.texts.push([]);
  const ofShard = known.texts[shard] ?? [];
  for (const [i, text] of texts.entries()) {
    ofShard[keyIds[i] ?? 0] = text;
    known.bytes += text.length + STRING_BYTES;
  }
}
