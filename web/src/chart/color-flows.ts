import type { KeyColors } from '../data/key-colors.ts';
import { partName } from '../data/key-parts.ts';
import type { PlacedFlows } from './lay-out-flows.ts';
import { seriesColors } from './palette.ts';

const COLORS = seriesColors('light').length;

/**
 * Returns the colours of the parts by their names: a key has the same one on both sides. They
 * differ as far as the palette goes, first on the left, whose colours the bands have. One that is
 * used again is not that of a neighbour in a column, or of a key at the other end of a band.
 */
export function colorFlows(placed: PlacedFlows): KeyColors {
  const nodes = [...placed.nodes].sort((a, b) => a.column - b.column || a.top - b.top);
  const joined = joinedNames({ nodes, links: placed.links });
  const colors = new Map<string, number>();
  const uses = Array.from({ length: COLORS }, () => 0);
  for (const name of new Set(nodes.map(({ part }) => partName(part)))) {
    const near = new Set(
      joined
        .filter((pair) => pair.includes(name))
        .flatMap((pair) => pair.map((n) => colors.get(n))),
    );
    const costs = uses.map((count, color) => count + (near.has(color) ? nodes.length : 0));
    const best = costs.indexOf(Math.min(...costs));
    colors.set(name, best);
    uses[best] = (uses[best] ?? 0) + 1;
  }
  return colors;
}

/** Returns the names of any two parts that are neighbours in a column, or joined by a band. */
function joinedNames({
  nodes,
  links,
}: Pick<PlacedFlows, 'nodes' | 'links'>): readonly (readonly [string, string])[] {
  const names = new Map(nodes.map(({ id, part }) => [id, partName(part)]));
  const besides = nodes.map(({ id }, i) => ({ source: id, target: nodes[i + 1]?.id ?? id }));
  return [...besides, ...links].map(
    ({ source, target }) => [names.get(source) ?? '', names.get(target) ?? ''] as const,
  );
}
