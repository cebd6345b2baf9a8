import { sankey, sankeyLinkHorizontal } from 'd3-sankey';
import type { FlowGraph, FlowLink, FlowNode } from '../data/flows/flow-graph.ts';
import { toNumber } from '../format/big-number.ts';

export type PlacedNode = FlowNode & { readonly top: number; readonly height: number };

export type PlacedLink = FlowLink & {
  /** The middle of the band, as the data of an SVG path. */
  readonly path: string;
  readonly width: number;
};

export type PlacedFlows = {
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly links: readonly PlacedLink[];
};

/** Width of the drawing, in its own units: it is stretched to the room that there is. */
export const FLOWS_WIDTH = 1000;

/** Height of all bands of the fullest column together, in pixels. */
const BANDS = 300;

/** Room for a label between neighbours, in pixels: of one line, and of two. */
export const ONE_LINE = 17;
export const TWO_LINES = 31;

/** Places nodes in the column of their place in the pair, such that few bands cross. */
export function layOutFlows({ nodes, links }: FlowGraph, between = ONE_LINE): PlacedFlows {
  // The layout would fail.
  if (nodes.length === 0) return { height: 0, nodes: [], links: [] };
  const columns = [...new Set(nodes.map(({ column }) => column))];
  const most = Math.max(
    ...columns.map((column) => nodes.filter((node) => node.column === column).length),
  );
  const height = BANDS + (most + 1) * between;
  // Half a label reaches beyond the first and the last node.
  const place = sankey<FlowNode, FlowLink>()
    .nodeId(({ id }) => id)
    .nodeAlign(({ column }) => column)
    .nodeWidth(0)
    .nodePadding(between)
    .iterations(12)
    .extent([
      [0, between / 2],
      [FLOWS_WIDTH, height - between / 2],
    ]);
  const placed = place({
    nodes: nodes.map((node) => ({ ...node })),
    // The layout adds up values, and writes the ends in the place of their names.
    links: links.map((link) => ({ ...link, value: toNumber(link.metric) })),
  });
  const pathOf = sankeyLinkHorizontal<FlowNode, FlowLink>();
  return {
    height,
    nodes: nodes.map((node, index) => {
      const { y0 = 0, y1 = 0 } = placed.nodes[index] ?? {};
      return { ...node, top: y0, height: y1 - y0 };
    }),
    links: links.map((link, index) => {
      const drawn = placed.links[index];
      return { ...link, path: (drawn && pathOf(drawn)) ?? '', width: drawn?.width ?? 0 };
    }),
  };
}
