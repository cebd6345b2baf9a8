import { isGiven, type KeyFilter } from '../../../domain/filters/key-filter.ts';
import type { KeysPassing } from '../plan/key-questions.ts';
import type { ReadGroup } from '../session/catalog.ts';
import type { NodeReader } from '../session/node-reader.ts';
import { type LabelledKeys, ownLabels } from './key-loaders.ts';

export type PassingRequest = {
  readonly contextId: number;
  readonly group: ReadGroup;
  readonly filter: KeyFilter;
  /** Whether keys are asked for, or the networks that they lie in. */
  readonly of: 'keys' | 'networks';
};

/**
 * Which keys pass a filter, to be asked of sorted keys: of one that searches at the present version
 * of the labels, which are read when they are first needed.
 */
export async function passingKeys(
  reader: NodeReader,
  labelled: LabelledKeys,
  { contextId, group, filter, of }: PassingRequest,
): Promise<KeysPassing> {
  if (of === 'networks') return passingNetworks(reader, filter);
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
      return reader.memory.threadPool.match(keys, search, reader.signal);
    },
  };
}

/** What people say about keys says nothing about networks: they have no labels. */
const passingNetworks = (reader: NodeReader, filter: KeyFilter): KeysPassing => ({
  name: `networks ${JSON.stringify(filter)}`,
  match: async (keys) => {
    await reader.goOn();
    return reader.memory.threadPool.match(keys, { networks: filter }, reader.signal);
  },
});
