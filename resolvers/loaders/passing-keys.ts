import { isGiven, type KeyFilter } from '../../domain/key-filter.ts';
import type { ReadGroup } from './catalog.ts';
import { type LabelledKeys, ownLabels } from './keys.ts';
import type { NodeReader } from './node-reader.ts';
import type { KeysPassing } from './segments/key-questions.ts';

export type PassingRequest = {
  readonly contextId: number;
  readonly group: ReadGroup;
  readonly filter: KeyFilter;
};

/**
 * Which keys pass a filter, to be asked of sorted keys: of one that searches at the present version
 * of the labels, which are read when they are first needed.
 */
export async function passingKeys(
  reader: NodeReader,
  labelled: LabelledKeys,
  { contextId, group, filter }: PassingRequest,
): Promise<KeysPassing> {
  const isSearch = isGiven(filter.search);
  const { versions, memoryKey } = await reader.context(contextId);
  const { keyKind, partKinds } = group.shape;
  const version = isSearch ? ` ${versions.textVersion} ${memoryKey}` : '';
  return {
    name: `${JSON.stringify(filter)}${version}`,
    match: async (keys) => {
      const labels = isSearch ? await ownLabels(labelled, group) : null;
      await reader.goOn();
      const search = { keyKind, partKinds, filter, labels };
      return reader.memory.kernel.match(keys, search, reader.signal);
    },
  };
}
