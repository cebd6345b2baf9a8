import { floorTo } from '../../domain/time/interval.ts';
import type { Flow } from '../flows/flow.ts';
import { flowPieces } from '../flows/flow-readings.ts';

/** Number of flows that could not be taken, by the start of their archived slice. */
export type LeftOutFlows = ReadonlyMap<number, number>;

export const NOTHING_LEFT_OUT: LeftOutFlows = new Map();

/**
 * Separates flows that can be written from those with a part in an archived slice: a flow is
 * written as a whole or not at all.
 */
export function splitArchived(
  flows: readonly Flow[],
  archivedStarts: ReadonlySet<number>,
  sliceSeconds: number,
): { taken: readonly Flow[]; leftOut: LeftOutFlows } {
  if (archivedStarts.size === 0) return { taken: flows, leftOut: NOTHING_LEFT_OUT };
  const leftOut = new Map<number, number>();
  const taken = flows.filter((flow) => {
    for (const { from } of flowPieces(flow)) {
      const start = floorTo(from, sliceSeconds);
      if (!archivedStarts.has(start)) continue;
      leftOut.set(start, (leftOut.get(start) ?? 0) + 1);
      return false;
    }
    return true;
  });
  return { taken, leftOut };
}

export const countLeftOut = (leftOut: LeftOutFlows): number =>
  [...leftOut.values()].reduce((sum, count) => sum + count, 0);
