import { checkLists, type KeyFilter, splitNetworkFilter } from '../../domain/filters/key-filter.ts';
import { foldCase } from '../../domain/filters/search-text.ts';
import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { addKey, emptyKeySet, type KeySet, nextKey } from '../../segments/filter/key-set.ts';
import { replacesDefault } from '../../segments/filter/labelled-keys.ts';
import type { OwnLabels } from '../../segments/filter/plain-texts.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import { type KeyList, keyAt } from '../../segments/keys/key-list.ts';
import { keyListPart } from '../../segments/merge/key-list-parts.ts';
import type { KeySearch, NetworkSearch } from '../kernel/threads/kernel-task.ts';
import type { PatternNames } from '../kernel/threads/thread-pool.ts';
import { inPauses } from '../snapshot/event-loop-scheduler.ts';
import type { NodeReader } from '../snapshot/node-reader.ts';

/** What matching needs of a reader. */
type FilterReader = Pick<NodeReader, 'memory' | 'caller' | 'onFilter' | 'pause' | 'afterKeys'>;

/** Matches keys with a filter whose patterns are priced. Errors: also those of `onFilter`. */
export async function matchKeys(
  reader: FilterReader,
  keys: KeyList,
  search: KeySearch | NetworkSearch,
): Promise<KeySet> {
  await reader.pause();
  const { caller, onFilter, memory } = reader;
  const filter = 'networks' in search ? search.networks : search.filter;
  const instructions = await memory.threadPool.instructionsOf(filter, caller);
  if (instructions > 0) onFilter(keys.count, instructions);
  if ('networks' in search || search.labels === null) {
    return memory.threadPool.match(keys, search, caller);
  }
  const { labels } = search;
  return matchLabelled(reader, keys, {
    ...search,
    labels: { keys: labels.keys, parts: await labelsOfParts(reader, search, labels.parts) },
  });
}

/** Labels that are copied for a thread at once: a few milliseconds. */
const LABELS_AT_ONCE = 5_000;

type LabelSearch = KeySearch & { readonly labels: OwnLabels };

/** Matches many labelled keys part by part, each with its own labels. */
async function matchLabelled(
  reader: FilterReader,
  keys: KeyList,
  search: LabelSearch,
): Promise<KeySet> {
  const { threadPool } = reader.memory;
  if (search.labels.keys.size <= LABELS_AT_ONCE) {
    return threadPool.match(keys, search, reader.caller);
  }
  const found = emptyKeySet(keys.count);
  for (let from = 0; from < keys.count; from += LABELS_AT_ONCE) {
    const part = keyListPart(keys, from, Math.min(from + LABELS_AT_ONCE, keys.count));
    const ofPart = {
      keys: await labelsOfKeys(reader, part, search),
      parts: search.labels.parts,
    };
    const matching = await threadPool.match(part, { ...search, labels: ofPart }, reader.caller);
    for (let i = nextKey(matching, 0); i < matching.count; i = nextKey(matching, i + 1)) {
      addKey(found, from + i);
    }
  }
  return found;
}

async function labelsOfKeys(
  reader: FilterReader,
  keys: KeyList,
  { labels, ...kinds }: LabelSearch,
): Promise<ReadonlyMap<string, string>> {
  const codec = keyCodecOf(kinds);
  const found = new Map<string, string>();
  for (let i = 0; i < keys.count; i += 1) {
    await reader.afterKeys(1);
    const key = codec.decode(keyAt(keys, i));
    const label = labels.keys.get(key);
    if (label !== undefined) found.set(key, label);
  }
  return found;
}

/** Returns what matters of the labels of the parts of cross-keys, which may be very many. */
async function labelsOfParts(
  reader: FilterReader,
  { filter, partKinds }: KeySearch,
  parts: OwnLabels['parts'],
): Promise<OwnLabels['parts']> {
  const wanted = foldCase(filter.search ?? '');
  const mattering: ReadonlyMap<string, string>[] = [];
  for (const [part, labels] of parts.entries()) {
    const mayReplace = replacesDefault(partKinds?.[part] ?? 'text') || wanted.includes('\\');
    mattering.push(mayReplace ? labels : await labelsWith(reader, labels, wanted));
  }
  return mattering;
}

async function labelsWith(
  reader: FilterReader,
  labels: ReadonlyMap<string, string>,
  wanted: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [key, label] of labels) {
    await reader.afterKeys(1);
    if (foldCase(label).includes(wanted)) found.set(key, label);
  }
  return found;
}

export type FilterToCheck = {
  readonly filter: KeyFilter;
  /** The kinds of the keys; of networks, those of the addresses in them. */
  readonly kinds: readonly SimpleKeyKind[];
  readonly of: 'keys' | 'networks';
  /** The parameters that gave the patterns. */
  readonly names: PatternNames;
};

/** Checks a filter. Errors: those of compileKeyFilter, in its order. */
export async function checkFilter(
  reader: FilterReader,
  { filter, kinds, of, names }: FilterToCheck,
): Promise<void> {
  const { threadPool } = reader.memory;
  const { ofKeys, ofAddresses } = splitNetworkFilter(filter);
  if (of === 'keys') await inPauses(reader, checkLists(filter, kinds));
  else await inPauses(reader, checkLists(ofKeys, ['subnet']));
  await threadPool.instructionsOf(filter, reader.caller, names);
  if (of === 'networks') await inPauses(reader, checkLists(ofAddresses, kinds));
}
