import {
  checkLists,
  type KeyFilter,
  splitNetworkFilter,
} from '../../../domain/filters/key-filter.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import type { Sliced } from '../../../domain/sliced.ts';
import type { KeySet } from '../../../segments/filter/key-set.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import type { KeySearch, NetworkSearch } from '../../../topk/threads/kernel-task.ts';
import type { PatternNames } from '../../../topk/threads/thread-pool.ts';
import type { NodeReader } from '../session/node-reader.ts';

/** What matching needs of a reader. */
type FilterReader = Pick<NodeReader, 'memory' | 'caller' | 'onFilter' | 'pause'>;

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
  return memory.threadPool.match(keys, search, caller);
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

async function inPauses(reader: FilterReader, work: Sliced<void>): Promise<void> {
  while (work.next().done !== true) await reader.pause();
}
