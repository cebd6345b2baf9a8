import { copiesOf } from '../../db/session/copy-source.ts';
import { selectGroups } from '../../db/sql/declaration.ts';
import {
  deleteLooseLabels,
  forgetArchivedLabels,
  type LabelPage,
  type LooseLabels,
  noteArchivedLabels,
  selectLabelsToNote,
  selectLooseLabels,
  selectOldestArchiveEnd,
} from '../../db/sql/looked-up-labels.ts';
import { groupBy } from '../../domain/group-by.ts';
import { type KeyCodec, keyCodecOf } from '../../segments/keys/key-codec.ts';
import { fetchPages } from '../read/fetch-pages.ts';
import { findKeys } from '../read/find-keys.ts';
import { loadManifest, type Manifest, type StoredSegment } from '../read/manifest.ts';
import { loadShapes } from '../shapes/load-shapes.ts';
import type { ArchiveSession, SliceIdentity } from './archive-session.ts';

/*
 * Labels that came from DNS answers or MaxMind files, with nothing added by a user, are deleted
 * with the last slice that has their key. Otherwise they would pile up with every address ever
 * seen.
 *
 *   - Segments say which available slices have a key.
 *   - Only their files say which archived slices have it. So archiving a slice notes its end with
 *     the labels of its keys, keeping the latest end. A label stays while any archived slice ends
 *     no later than that: it may stay for a slice that does not have the key, but it is not
 *     missing for one that does. The oldest slices are dropped first, so the label goes at the
 *     latest when all slices up to that time are gone.
 *   - A label that is looked up after a slice was archived is not noted for that slice. To note it
 *     for every archived slice would keep all new labels as long as the oldest archive.
 *
 * All of it happens in the transaction that archives or drops, batch by batch, before publishing.
 */

/** Keys per batch: their texts take a megabyte at most. */
const BATCH = 2000;

/** Notes which keys of a slice that is being archived have such labels. */
export async function noteLabels(session: ArchiveSession, slice: SliceIdentity): Promise<void> {
  const { connection } = session;
  const search = new LabelSearch(session);
  for (const [groupId, same] of await search.groups()) {
    const pages = eachPage(groupId, (page) => selectLabelsToNote(connection, page, slice.endsAt));
    for await (const labelled of pages) {
      const keys = await search.keysIn(
        { ...same, keys: labelled },
        ({ sliceId }) => sliceId === slice.sliceId,
      );
      await noteArchivedLabels(connection, { groupId, keys: [...keys], until: slice.endsAt });
    }
  }
}

/** Deletes such labels of keys that only the slice being dropped has. */
export async function sweepLabels(
  session: ArchiveSession,
  { sliceId }: SliceIdentity,
): Promise<void> {
  const { connection, contextId } = session;
  const oldestEnd = await selectOldestArchiveEnd(connection, { contextId, but: sliceId });
  const search = new LabelSearch(session);
  const isDropped = (segment: StoredSegment): boolean => segment.sliceId === sliceId;
  for (const [groupId, same] of await search.groups()) {
    const loose = (which: LooseLabels['which']) =>
      eachPage(groupId, (page) => selectLooseLabels(connection, page, { which, oldestEnd }));
    for await (const labelled of loose('current')) {
      const dropped = await search.keysIn({ ...same, keys: labelled }, isDropped);
      const keys = [...dropped];
      const others = await search.keysIn({ ...same, keys }, (each) => !isDropped(each));
      const gone = keys.filter((key) => !others.has(key));
      await deleteLooseLabels(connection, { groupId, keys: gone });
    }
    for await (const keys of loose('expired')) {
      const others = await search.keysIn({ ...same, keys }, (each) => !isDropped(each));
      const gone = keys.filter((key) => !others.has(key));
      await deleteLooseLabels(connection, { groupId, keys: gone });
      await forgetArchivedLabels(connection, { groupId, keys: [...others] });
    }
  }
}

/** Yields the pages of an ordered list of keys. */
async function* eachPage(
  groupId: number,
  select: (page: LabelPage) => Promise<string[]>,
): AsyncGenerator<string[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const keys: string[] = await select({ groupId, after, limit: BATCH });
    if (keys.length > 0) yield keys;
    after = keys.at(-1);
  }
}

/** The groups that have keys of one group: itself, and those that are declared so. */
type GroupsOfKeys = { readonly groupIds: readonly number[]; readonly codec: KeyCodec };

type LabelledKeys = GroupsOfKeys & { readonly keys: readonly string[] };

/** Finds keys in live segments. Merges continue meanwhile, but nothing is swept immediately. */
class LabelSearch {
  readonly #session: ArchiveSession;
  #manifest: Manifest | undefined;

  constructor(session: ArchiveSession) {
    this.#session = session;
  }

  /** Returns the groups with labels of their own, each with those that have keys of it. */
  async groups(): Promise<Map<number, GroupsOfKeys>> {
    const { connection, contextId } = this.#session;
    const shapes = await loadShapes(connection, contextId);
    const rows = groupBy(
      await selectGroups(connection, contextId),
      ({ keysGroupId }) => keysGroupId,
    );
    const groups = new Map<number, GroupsOfKeys>();
    for (const [groupId, same] of rows) {
      const shape = shapes.get(groupId);
      const groupIds = same.map((row) => row.groupId);
      if (shape) groups.set(groupId, { groupIds, codec: keyCodecOf(shape) });
    }
    return groups;
  }

  /**
   * Returns the keys that the segments selected by `isMeant` have. Errors: MissingPages,
   * DamagedSegment.
   */
  async keysIn(
    { groupIds, codec, keys }: LabelledKeys,
    isMeant: (segment: StoredSegment) => boolean,
  ): Promise<ReadonlySet<string>> {
    const { connection, contextId, signal } = this.#session;
    signal?.throwIfAborted();
    const source = copiesOf(connection);
    const loaded = await loadManifest(source, { contextId, since: this.#manifest });
    this.#manifest = loaded ?? undefined;
    const found = await findKeys({
      segments: [...(loaded?.segments.values() ?? [])].filter(isMeant),
      missing: groupIds.map((groupId) => ({ groupId, codec, keys })),
      fetch: (requests) => fetchPages(source, requests),
    });
    return new Set(groupIds.flatMap((groupId) => [...(found.get(groupId) ?? [])]));
  }
}
