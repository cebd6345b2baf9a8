import { useEffect, useMemo, useState } from 'preact/hooks';
import { layOutFlows, type PlacedNode } from '../../chart/lay-out-flows.ts';
import { type FlowGraph, flowGraph } from '../../data/flows/flow-graph.ts';
import { shownLabel } from '../../data/key-parts.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { wholeQuantity } from '../../data/row-figures.ts';
import { drawFlows } from '../../export/flows-canvas.ts';
import { allDigits, type BigNumber, partOf, sum } from '../../format/big-number.ts';
import { counted } from '../../format/counted.ts';
import { isolated } from '../../format/isolated.ts';
import { formatShare, joined } from '../../format/quantity.ts';
import { FlowPicture, type FlowsProps, type Lit, nodeColor } from './flow-picture.tsx';

type FlowsCardProps = FlowsProps & {
  /** Called with the same as the picture that is exported. */
  readonly onCanvas: (canvas: HTMLCanvasElement | null) => void;
};

/** The listed pairs as bands from their first part to their second. The table lists the same. */
export function FlowsCard(props: FlowsCardProps) {
  const { shown, address, terms, theme, colors, onCanvas } = props;
  const { group, table, meter } = shown;
  const [pointed, setPointed] = useState<Lit | null>(null);
  const graph = useMemo(() => flowGraph(table.keys, group), [table.keys, group]);
  const why = whyNoPicture(shown, graph);
  useEffect(() => {
    if (why) return;
    const drawing = {
      placed: layOutFlows(graph),
      colorOf: (node: PlacedNode) => nodeColor(node, { colors, theme }),
      textOf: ({ label, metric }: PlacedNode) =>
        `${isolated(label)}  ${joined(wholeQuantity(metric, terms))}`,
      ink: getComputedStyle(document.body).color,
    };
    onCanvas(drawFlows(drawing));
    return () => onCanvas(null);
  }, [graph, why, theme.theme, address.units]);
  if (why) return <p class="card card-text">{why}</p>;
  const open = table.keys.find(({ key }) => key === address.key);
  const lit =
    pointed ??
    (open ? { ...open, name: shownLabel(open, group), rows: new Set([open.key]) } : null);
  return (
    <section class="card flows-card" aria-label="Flows">
      <div class="card-head">
        <h2>
          <bdi>{meter.name}</bdi> of {counted(table.keys.length, 'pair')}{' '}
          <span>· {drawnInWords(props)}</span>
        </h2>
      </div>
      <FlowPicture {...props} graph={graph} lit={lit} onPoint={setPointed} />
      <p class="flows-said">
        {lit ? (
          <>
            <bdi>{lit.name}</bdi>: {joined(wholeQuantity(lit.metric, terms))}
            {lit.rows.size > 1 && ` in ${lit.rows.size} pairs`}
          </>
        ) : (
          whatBandsAre(props)
        )}
      </p>
    </section>
  );
}

function whyNoPicture(
  { group, kind, meter }: FlowsProps['shown'],
  { links }: FlowGraph,
): string | null {
  if (!group.crosskey) {
    return `${isolated(group.name)} has no pairs, and neither has any other group of this context: there are no flows to draw.`;
  }
  if (!addsUp(kind)) {
    return `There is no picture: the values of ${isolated(meter.name)} do not add up, so no band can be as wide as one. The table lists them.`;
  }
  return links.length === 0
    ? `There is no picture: all values of ${isolated(meter.name)} are 0.`
    : null;
}

/** Says how much of what there is the picture shows. */
function drawnInWords({ shown, terms, address }: FlowsProps): string {
  const { keys, keyCount, othersMatching } = shown.table;
  const amount = (value: BigNumber) => joined(wholeQuantity(value, terms));
  const drawn = sum(keys.map(({ metric }) => metric));
  const passing = sum([drawn, othersMatching]);
  const parts = [
    shown.total === null
      ? amount(drawn)
      : `${amount(drawn)} of ${amount(shown.total)}: ${formatShare(partOf(drawn, shown.total))}`,
    address.filters.length > 0 && `${amount(passing)} pass the filter`,
    keyCount > keys.length && `${allDigits(keyCount - keys.length)} smaller pairs are not drawn`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** The flows of every import: pairs of who began a connection, and who answered. */
const HOST_PAIRS = '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}';

/** Says what left and right are. Imports do not sort the parts of a pair. */
function whatBandsAre({ shown: { group } }: FlowsProps): string {
  if (group.guid === HOST_PAIRS) {
    return 'On the left who began the connection, on the right who answered; a band is what both sent. Where an exporter reports each direction by itself, on the left is who sent, and the way back is a band of its own.';
  }
  return group.crosskey?.parentGuid === group.crosskey?.crosskeyGuid1
    ? 'On the left the first part of each pair, on the right the second, as they were imported.'
    : 'A band joins what was counted together, in both directions.';
}
