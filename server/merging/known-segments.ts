import type { Connection } from '../../db/connection/connection.ts';
import type { ContextNumbersRow } from '../../db/sql/contexts.ts';
import {
  type OpenSegmentRow,
  type SegmentTotals,
  selectOpenSegments,
  selectSegmentTotals,
} from '../../db/sql/manifest.ts';
import { waitingBySlice } from '../../store/merge/waiting-segments.ts';

/** A context's segments at a layout, which show whether a merge is due now or later. */
export type KnownSegments = {
  readonly layout: number;
  readonly totals: SegmentTotals;
  readonly open: readonly OpenSegmentRow[];
};

/** Reads the segments again only if the layout has changed; most of the time it has not. */
export async function readSegments(
  connection: Connection,
  { contextId, layout }: ContextNumbersRow,
  known: KnownSegments | undefined,
): Promise<KnownSegments> {
  if (known?.layout === layout) return known;
  const totals = await selectSegmentTotals(connection, contextId);
  return { layout, totals, open: await selectOpenSegments(connection, contextId) };
}

/** Returns how many segments are due to be merged at `now`, in epoch seconds. */
export const waitingSegments = ({ open }: KnownSegments, now: number): number =>
  [...waitingBySlice(open, now).values()].reduce((sum, waiting) => sum + waiting, 0);
