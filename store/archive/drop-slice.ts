import { inTransaction } from '../../db/connection/connection.ts';
import { insertLeftover, type StoredSlice } from '../../db/sql/archived-slices.ts';
import { deleteSlice } from '../../db/sql/slices.ts';
import {
  type ArchiveSession,
  auditSlice,
  currentSlice,
  inHeldContext,
  type NamedSlice,
  type SliceIdentity,
} from './archive-session.ts';
import { removeLeftovers } from './leftovers.ts';
import { sweepLabels } from './looked-up-labels.ts';
import { refuseProcessing } from './plan-slices.ts';
import { takeOut } from './take-out.ts';

/**
 * Removes a slice for good: first from the list and from all answers, in one transaction, then its
 * archive, if it has one. Its pages are removed once no reader can use them. Returns null if
 * another process dropped the slice first, or if the context's lock was not acquired within
 * `waitMs`.
 */
export const dropSlice = (
  session: ArchiveSession,
  chosen: NamedSlice,
  waitMs?: number,
): Promise<NamedSlice | null> =>
  inHeldContext(
    session,
    async () => {
      const slice = await currentSlice(session, chosen.sliceId);
      if (!slice) return null;
      refuseProcessing(slice, session.now());
      await dropSegments(session, slice);
      await removeLeftovers(session.connection, session.contextId);
      return slice;
    },
    waitMs,
  );

/**
 * Removes a slice for good, archived or not, in one transaction: from the list, from all answers,
 * and with the labels of keys that no other slice has. Its archive becomes one of the context's
 * leftovers. Its pages go when no reader can need them (db/sql/remove-partitions.ts),
 * and the sweep removes its rows of the manifest.
 */
export const dropSegments = (
  session: ArchiveSession,
  slice: SliceIdentity & Pick<StoredSlice, 'archive'>,
): Promise<void> =>
  inTransaction(session.connection, async () => {
    const { connection, contextId } = session;
    await sweepLabels(session, slice);
    if (slice.archive) await insertLeftover(connection, contextId, slice.archive);
    await deleteSlice(connection, slice.sliceId);
    await takeOut(session, slice);
    const detail = { wasArchived: slice.archive !== null };
    await auditSlice(session, slice, { action: 'slice dropped', detail });
  });
