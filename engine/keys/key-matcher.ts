import { isGiven, type KeyFilter } from '../../domain/filters/key-filter.ts';
import type { ReadGroup } from '../plan/catalog.ts';
import type { KeyMatcher } from '../plan/key-questions.ts';
import type { NodeReader } from '../snapshot/node-reader.ts';
import { type LabelledKeys, ownLabels } from './key-loaders.ts';
import { matchKeys } from './match-keys.ts';

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
): Promise<KeyMatcher> {
  if (of === 'networks') return networkMatcher(reader, filter);
  const isSearch = isGiven(filter.search);
  const { versions, memoryKey } = await reader.context(contextId);
  const { keyKind, partKinds } = group.shape;
  const version = isSearch ? ` ${versions.textVersion} ${memoryKey}` : '';
  return {
    name: `${JSON.stringify(filter)}${version}`,
    match: async (keys) => {
      const labels = isSearch ? await ownLabels(labelled, group) : null;
      return matchKeys(reader, keys, { keyKind, partKinds, filter, labels });
    },
  };
}

/** The texts of keys do not apply to networks, which have no labels. */
const networkMatcher = (reader: NodeReader, filter: KeyFilter): KeyMatcher => ({
  name: `networks ${JSON.stringify(filter)}`,
  match: (keys) => matchKeys(reader, keys, { networks: filter }),
});
