import { useMemo } from 'preact/hooks';
import { colorFlows } from '../../chart/color-flows.ts';
import { layOutFlows } from '../../chart/lay-out-flows.ts';
import { flowGraph } from '../../data/flows/flow-graph.ts';
import { assignColors, type KeyColors } from '../../data/key-colors.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';

/** The colours of the keys of each context, for as long as this tab is open. */
const remembered = new Map<string, KeyColors>();

/** Returns the colours of the keys in the chart: each has the one that it had before. */
export function useKeyColors({ chart }: ShownToppers, context: string | null): KeyColors {
  return useMemo(() => {
    const known = remembered.get(context ?? '') ?? new Map<string, number>();
    const colors = assignColors(
      known,
      chart.lines.map(({ key }) => key),
    );
    remembered.set(context ?? '', colors);
    return colors;
  }, [chart, context]);
}

/** Returns the colours of a picture of flows, by the names of its parts. */
export const useFlowColors = ({ table, group }: ShownToppers): KeyColors =>
  useMemo(() => colorFlows(layOutFlows(flowGraph(table.keys, group))), [table, group]);
