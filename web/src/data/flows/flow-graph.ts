import { type BigNumber, sum, toNumber } from '../../format/big-number.ts';
import type { GroupChoice } from '../choices.ts';
import { distinctPartLabels, type Part, partName, partsOf } from '../key-parts.ts';
import type { TopRow } from '../shown-toppers.ts';

/** A part of pairs, in the column of its place: a host may be on both sides. */
export type FlowNode = {
  readonly id: string;
  /** Place in the pair, from 0. */
  readonly column: number;
  readonly part: Part;
  readonly label: string;
  /** The sum of the listed pairs that it is part of. */
  readonly metric: BigNumber;
  /** The raw keys of these pairs. */
  readonly rows: ReadonlySet<string>;
};

/** A band between neighbouring columns: a pair, or all pairs of three that have both parts. */
export type FlowLink = {
  readonly source: string;
  readonly target: string;
  readonly metric: BigNumber;
  readonly rows: ReadonlySet<string>;
};

export type FlowGraph = {
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
};

type FlowRow = Pick<TopRow, 'key' | 'label' | 'readable' | 'metric'>;

/**
 * Returns the listed pairs as a graph, whose columns are the places in the pair. A pair and its
 * reverse are two bands, so the graph has no cycles. Pairs without traffic are left out.
 */
export function flowGraph(
  rows: readonly FlowRow[],
  group: Pick<GroupChoice, 'crosskey'>,
): FlowGraph {
  const nodes = new Map<string, Gathered & { readonly part: Part; readonly column: number }>();
  const links = new Map<string, Gathered & { readonly ends: readonly [string, string] }>();
  for (const row of rows.filter(({ metric }) => toNumber(metric) > 0)) {
    const parts = partsOf(row, group);
    const ids = parts.map((part, column) => `${column}${partName(part)}`);
    for (const [column, part] of parts.entries()) {
      const id = ids[column] ?? '';
      nodes.set(id, { ...gathered(nodes.get(id), row), part, column });
      const next = ids[column + 1];
      if (next === undefined) continue;
      const between = JSON.stringify([id, next]);
      links.set(between, { ...gathered(links.get(between), row), ends: [id, next] });
    }
  }
  const labels = distinctPartLabels([...nodes.values()].map(({ part }) => part));
  return {
    nodes: [...nodes].map(
      ([id, { part, column, ...of }]): FlowNode => ({
        id,
        column,
        part,
        label: labels.get(partName(part)) ?? part.label,
        ...of,
      }),
    ),
    links: [...links.values()].map(({ ends, ...of }) => ({
      source: ends[0],
      target: ends[1],
      ...of,
    })),
  };
}

type Gathered = { readonly metric: BigNumber; readonly rows: ReadonlySet<string> };

const gathered = (before: Gathered | undefined, { key, metric }: FlowRow): Gathered => ({
  metric: sum([before?.metric ?? 0, metric]),
  rows: new Set([...(before?.rows ?? []), key]),
});
