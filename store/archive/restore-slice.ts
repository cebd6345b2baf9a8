import {
  type ArchiveSession,
  currentSlice,
  inHeldContext,
  type NamedSlice,
} from './archive-session.ts';
import { removeLeftovers } from './leftovers.ts';
import { fileOfArchive } from './pool-folder.ts';
import { restoreSegments } from './restore-segments.ts';

export type RestoredSlice = {
  readonly slice: NamedSlice;
  readonly rows: number;
  /** The archive file, which is removed. */
  readonly file: string;
};

/**
 * Restores an archived slice and makes it available, in one transaction. Archives of version 1.0
 * and newer are accepted. A file that differs in any bit from the one written is rejected before
 * any change. Returns null if another process restored or dropped the slice first.
 */
export const restoreSlice = (
  session: ArchiveSession,
  chosen: NamedSlice,
): Promise<RestoredSlice | null> =>
  inHeldContext(session, async () => {
    const slice = await currentSlice(session, chosen.sliceId);
    if (!slice?.archived) return null;
    const { archive, name } = slice;
    if (!archive) {
      const where = slice.path === null ? '' : ` (${slice.path})`;
      throw new Error(`${name} was archived by hand${where}, and must be restored by hand`);
    }
    const file = fileOfArchive(archive);
    const rows = await restoreSegments(session, slice, {
      archive,
      file,
      waitMs: session.detachWaitMs,
    });
    await removeLeftovers(session.connection, session.contextId);
    return { slice, rows, file };
  });
