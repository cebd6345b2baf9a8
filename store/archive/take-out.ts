import { selectSliceSegments } from '../../db/sql/manifest.ts';
import { raiseVersion } from '../../db/sql/publish.ts';
import { deleteCoverage } from '../../db/sql/slices.ts';
import { publishSegments } from '../publish/publish-segments.ts';
import type { ArchiveSession, SliceIdentity } from './archive-session.ts';

/**
 * Removes a slice from all answers, as the last step of the open transaction: its segments die, and
 * its coverage is deleted. Transactions that began earlier still see all of it, and a running merge
 * finds its segments dead and rolls back.
 */
export async function takeOut(session: ArchiveSession, { sliceId }: SliceIdentity): Promise<void> {
  const { connection, contextId, now } = session;
  await deleteCoverage(connection, sliceId);
  // Locks the context's numbers, so that no merge publishes after the live segments are read.
  await raiseVersion(connection, contextId);
  const segments = await selectSliceSegments(connection, sliceId);
  await publishSegments(connection, {
    contextId,
    changes: 'data',
    added: [],
    removed: segments.map(({ segmentId }) => segmentId),
    at: now(),
  });
}
