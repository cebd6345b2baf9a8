import type { Connection } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import { existingKeys } from '../../store/read/existing-keys.ts';
import { fetchPages } from '../../store/read/fetch-pages.ts';
import { loadManifest, type Manifest } from '../../store/read/manifest.ts';
import type { ImportGroup } from '../import-group.ts';
import { shapeOf } from '../segments/segment-batch.ts';

/** Keys of a group, in raw form. */
export type KeysToFind = { readonly group: ImportGroup; readonly keys: readonly string[] };

/**
 * Which of the keys exist, by group id: those of available slices, and those with a user's texts.
 */
export type ExistingKeys = ReadonlyMap<number, ReadonlySet<string>>;

/**
 * Returns a function that finds out which keys of a context exist, while the context is locked. The
 * lock keeps slices in place, and pages of segments that are merged meanwhile exist for longer than
 * reading them takes.
 */
export function existingKeysFinder(connection: Connection, contextId: number) {
  let manifest: Manifest | undefined;
  return async (wanted: readonly KeysToFind[]): Promise<ExistingKeys> => {
    const source = copiesOf(connection);
    manifest = (await loadManifest(source, { contextId, since: manifest })) ?? undefined;
    return existingKeys({
      segments: manifest?.segments.values() ?? [],
      missing: wanted.map(({ group, keys }) => ({
        groupId: group.groupId,
        codec: keyCodecOf(shapeOf(group)),
        keys,
      })),
      fetch: (requests) => fetchPages(source, requests),
      session: {
        read: async ({ text, values }) =>
          (await connection.query(text, values ? [...values] : [])).rows,
      },
    });
  };
}
