import type { Connection } from '../../db/connection/connection.ts';
import { dateCoverage } from '../../db/write/segments/date-coverage.ts';
import { insertSegments, type NewSegmentRow } from '../../db/write/segments/insert-segments.ts';
import {
  type ContextNumbers,
  raiseLayout,
  raiseVersion,
} from '../../db/write/segments/raise-layout.ts';
import { setDied, setRollUpsDied } from '../../db/write/segments/set-died.ts';
import { SegmentsGone } from './segments-gone.ts';

/*
 * A transaction that writes or removes segments publishes as its last step. It may have written
 * pages for minutes, of which nobody knows; now it locks the row of the context's numbers, writes
 * the manifest, and commits. So whoever else publishes waits for milliseconds.
 *
 * A context has two numbers, both in that row:
 *
 *     version   data: what a caller can be told. Answers, ETags and subscriptions go by it
 *     layout    which segments there are. The manifest that a server remembers goes by it
 *
 * An import raises both; a merge only the layout, as the same readings lie in other segments: it
 * makes nobody's answer old. `born` and `died` are layout numbers, not versions, as merges have none
 * of their own. A reader needs neither: its snapshot has the manifest as of one moment, and what
 * lives in it are the rows without `died`. They serve
 *
 *   - servers, which remember a manifest at a layout and ask what was born and what died since;
 *   - sweeping, which tells by swept_to from which layout on that can still be answered.
 *
 * Both need numbers to be committed in their order: who sees layout 7 must see all that has numbers
 * up to 7. They are, as the row is locked from the moment a number is taken until the commit.
 * raise_context_version raises the version once a transaction, also when triggers have done so
 * before or will at the commit; the layout rises with each publication, as nothing else raises it.
 */

export type Publication = {
  readonly contextId: number;
  /** data: readings came or went. layout: the same readings are in other segments. */
  readonly changes: 'data' | 'layout';
  readonly born: readonly NewSegmentRow[];
  /** Segments that are replaced or removed: all of them must live. */
  readonly died: readonly number[];
  /** Now, in epoch seconds. */
  readonly at: number;
};

/**
 * Makes segments known whose pages were written in this transaction, and marks others as dead, and
 * with them the roll-ups that were made of them;
 * gives the numbers that readers will see after the commit, which is to follow at once. Errors:
 * SegmentsGone, and then the transaction must be rolled back.
 */
export async function publishSegments(
  connection: Connection,
  { contextId, changes, born, died, at }: Publication,
): Promise<ContextNumbers> {
  if (changes === 'data') await raiseVersion(connection, contextId);
  const numbers = await raiseLayout(connection, contextId);
  if (!numbers) throw new Error(`the context ${contextId} must be there to get segments`);
  const { layout } = numbers;
  if (born.length > 0) await insertSegments(connection, { contextId, born: layout }, born);
  if (born.length > 0 && changes === 'data') {
    await dateCoverage(connection, { sliceIds: [...new Set(born.map(sliceOf))], at });
  }
  if (died.length > 0) {
    const death = { contextId, died: layout, at };
    const marked = new Set(await setDied(connection, death, died));
    const gone = died.filter((segmentId) => !marked.has(segmentId));
    if (gone.length > 0) throw new SegmentsGone(gone);
    await setRollUpsDied(connection, death, died);
  }
  return numbers;
}

const sliceOf = ({ sliceId }: NewSegmentRow): number => sliceId;
