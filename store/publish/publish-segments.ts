import type { Connection } from '../../db/connection/connection.ts';
import { dateCoverage } from '../../db/sql/coverage.ts';
import { selectNotLive } from '../../db/sql/manifest.ts';
import {
  type ContextNumbers,
  insertSegments,
  markRemoved,
  markRollUpsRemoved,
  type NewSegmentRow,
  raiseLayout,
  raiseVersion,
} from '../../db/sql/publish.ts';

/*
 * A transaction that writes or removes segments publishes as its last step. It may have spent
 * minutes writing pages that nobody knows about; only now does it lock the row of the context's
 * numbers, write the manifest, and commit. So other publishers wait only milliseconds.
 *
 * A context has two numbers, both in that row:
 *
 *     version   data: what a caller can be told. Answers, ETags and subscriptions depend on it
 *     layout    which segments there are. The manifest that a server caches depends on it
 *
 * An import raises both. A merge raises only the layout: it moves the same readings to other
 * segments and makes no answer stale. The columns `born` and `died` of a segment are the layout
 * numbers at which it was added and removed; merges have no version of their own. A reader needs
 * neither: its snapshot has the manifest as of one moment, in which the live segments are the rows
 * without `died`. These numbers serve
 *
 *   - servers, which cache a manifest at a layout and ask what was added and removed since;
 *   - the sweep, which records in swept_to the layout from which on that can still be answered.
 *
 * Both uses need numbers to be committed in order: whoever sees layout 7 must see everything with
 * numbers up to 7. They are: the row is locked from the moment a number is taken until the
 * commit. raise_context_version raises the version once per transaction, even if triggers have done
 * so before or will do so at the commit; the layout rises with each publication, and with
 * nothing else.
 */

export type Publication = {
  readonly contextId: number;
  /** data: readings were added or removed. layout: the same readings are in other segments. */
  readonly changes: 'data' | 'layout';
  /** The sources of roll-ups among them must be live. */
  readonly added: readonly NewSegmentRow[];
  /** Segments that are replaced or removed. All of them must be live. */
  readonly removed: readonly number[];
  /** Now, in epoch seconds. */
  readonly at: number;
};

/**
 * Publishes segments whose pages were written in this transaction, and marks others as dead, along
 * with the roll-ups made of them. Returns the numbers that readers will see after the commit, which
 * must follow at once. Errors: SegmentsGone, after which the transaction must be rolled back.
 */
export async function publishSegments(
  connection: Connection,
  { contextId, changes, added, removed, at }: Publication,
): Promise<ContextNumbers> {
  if (changes === 'data') await raiseVersion(connection, contextId);
  const numbers = await raiseLayout(connection, contextId);
  if (!numbers) throw new Error(`the context ${contextId} must exist to get segments`);
  const { layout } = numbers;
  await requireLiveSources(connection, contextId, added);
  if (added.length > 0) await insertSegments(connection, { contextId, addedAt: layout }, added);
  if (added.length > 0 && changes === 'data') {
    await dateCoverage(connection, { sliceIds: [...new Set(added.map(sliceOf))], at });
  }
  if (removed.length > 0) {
    const removal = { contextId, removedAt: layout, at };
    const marked = new Set(await markRemoved(connection, removal, removed));
    const gone = removed.filter((segmentId) => !marked.has(segmentId));
    if (gone.length > 0) throw new SegmentsGone(gone);
    await markRollUpsRemoved(connection, removal, removed);
  }
  return numbers;
}

/**
 * The lock of the numbers must be held. A slice that was archived or dropped while a roll-up of it
 * was written could not take the roll-up with it: it was not in the manifest yet. Errors:
 * SegmentsGone.
 */
async function requireLiveSources(
  connection: Connection,
  contextId: number,
  added: readonly NewSegmentRow[],
): Promise<void> {
  const sources = added.flatMap((segment) => segment.sources ?? []);
  if (sources.length === 0) return;
  const gone = await selectNotLive(connection, contextId, sources);
  if (gone.length > 0) throw new SegmentsGone(gone);
}

const sliceOf = ({ sliceId }: NewSegmentRow): number => sliceId;

/**
 * Another transaction has meanwhile replaced or removed segments that were to be replaced, or that
 * a roll-up was made of.
 */
export class SegmentsGone extends Error {
  override readonly name = 'SegmentsGone';
  readonly segmentIds: readonly number[];

  constructor(segmentIds: readonly number[]) {
    super(
      `Segments ${segmentIds.join(', ')} must be live, but died meanwhile: ` +
        'roll back, and plan again with the live segments',
    );
    this.segmentIds = segmentIds;
  }
}
