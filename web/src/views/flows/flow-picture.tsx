import { useMemo, useRef } from 'preact/hooks';
import {
  FLOWS_WIDTH,
  layOutFlows,
  ONE_LINE,
  type PlacedFlows,
  type PlacedNode,
  TWO_LINES,
} from '../../chart/lay-out-flows.ts';
import { seriesColor } from '../../chart/palette.ts';
import { groupOf } from '../../data/choices.ts';
import type { FlowGraph } from '../../data/flows/flow-graph.ts';
import type { KeyColors } from '../../data/key-colors.ts';
import { partName } from '../../data/key-parts.ts';
import { type Terms, wholeQuantity } from '../../data/row-figures.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';
import type { BigNumber } from '../../format/big-number.ts';
import { isolated } from '../../format/isolated.ts';
import { joined } from '../../format/quantity.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { useWidth } from '../../parts/use-width.ts';
import { partTarget } from '../key/part-link.tsx';
import type { ViewProps } from '../view-props.ts';

/** The view of flows with its answer, and the terms in which values are shown. */
export type FlowsProps = ViewProps & {
  readonly shown: ShownToppers;
  readonly terms: Terms;
  /** By the name of a part. */
  readonly colors: KeyColors;
};

/** Pairs that stand out, and what they have in common. */
export type Lit = {
  readonly name: string;
  readonly metric: BigNumber;
  /** Their raw keys. */
  readonly rows: ReadonlySet<string>;
};

type PictureProps = FlowsProps & {
  readonly graph: FlowGraph;
  readonly lit: Lit | null;
  readonly onPoint: (lit: Lit | null) => void;
};

/**
 * Columns of keys with bands between them. The bands are stretched to the room that there is; the
 * keys are links, which need no pointer.
 */
export function FlowPicture(props: PictureProps) {
  const { shown, choice, graph } = props;
  const place = useRef<HTMLDivElement>(null);
  const between = betweenLabels(graph, useWidth(place));
  const placed = useMemo(() => layOutFlows(graph, between), [graph, between]);
  const { crosskey } = shown.group;
  const columns = [crosskey?.parentGuid, crosskey?.crosskeyGuid1, crosskey?.crosskeyGuid2]
    .flatMap((guid) => guid ?? [])
    .map((guid) => groupOf(choice, guid)?.name ?? 'Keys');
  return (
    <div class="flows" ref={place}>
      <p class="flow-heads" aria-hidden="true">
        {columns.map((name, column) => (
          <span key={column}>{name}</span>
        ))}
      </p>
      <div class="flow-plot" style={{ height: `${placed.height}px` }}>
        <Bands {...props} placed={placed} />
        {columns.map((name, column) => (
          <ol
            key={column}
            class={`flow-column ${column === 0 ? 'is-first' : column === columns.length - 1 ? 'is-last' : 'is-middle'}`}
            aria-label={`${isolated(name)}, part ${column + 1} of the pairs`}
          >
            {placed.nodes
              .filter((node) => node.column === column)
              .sort((a, b) => a.top - b.top)
              .map((node) => (
                <Node key={node.id} {...props} node={node} />
              ))}
          </ol>
        ))}
      </div>
    </div>
  );
}

/** Where names are over the bands, and without amounts: as in the styles. */
const NARROW = 760;

/** Estimates, in pixels: of a character of a name, and of the amount beside it. */
const CHARACTER = 6.4;
const AMOUNT = 100;

/** Returns the room between keys: for two lines if a name needs them. */
function betweenLabels({ nodes }: FlowGraph, width: number): number {
  const longest = Math.max(...nodes.map(({ label }) => label.length));
  const room = width < NARROW ? width * 0.42 : width * 0.32 - AMOUNT;
  return longest * CHARACTER > room ? TWO_LINES : ONE_LINE;
}

type PlacedProps = PictureProps & { readonly placed: PlacedFlows };

/** The bands, in the colours of where they begin. The table's rows lead to the pairs, too. */
function Bands({ placed, lit, onPoint, ...props }: PlacedProps) {
  const nodes = new Map(placed.nodes.map((node) => [node.id, node]));
  return (
    <svg
      viewBox={`0 0 ${FLOWS_WIDTH} ${placed.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {placed.links.map(({ source, target, path, width, metric, rows }) => {
        const from = nodes.get(source);
        const [pair = null] = rows.size === 1 ? rows : [];
        const name = `${from?.label ?? ''} → ${nodes.get(target)?.label ?? ''}`;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: without a pointer, use the table.
          <path
            key={`${source} ${target}`}
            d={path}
            class={classOf(rows, lit)}
            stroke={from && nodeColor(from, props)}
            stroke-width={Math.max(1, width)}
            onMouseEnter={() => onPoint({ name, metric, rows })}
            onMouseLeave={() => onPoint(null)}
            onClick={() => pair !== null && props.navigate.go({ key: pair })}
          />
        );
      })}
    </svg>
  );
}

/** Returns the colour of a key, which is the same on both sides. */
export const nodeColor = (
  { part }: PlacedNode,
  { colors, theme: { theme } }: Pick<FlowsProps, 'colors' | 'theme'>,
): string => seriesColor(theme, colors.get(partName(part)) ?? -1);

function classOf(rows: ReadonlySet<string>, lit: Lit | null): string {
  if (!lit) return '';
  return [...rows].some((row) => lit.rows.has(row)) ? 'is-lit' : 'is-dim';
}

/** A key with the sum of its bands; its link leads to its panel. */
function Node({ node, lit, onPoint, ...props }: PictureProps & { readonly node: PlacedNode }) {
  const { navigate, terms } = props;
  const target = partTarget(node.part, props);
  const { label, metric, rows } = node;
  const point = () => onPoint({ name: label, metric, rows });
  const leave = () => onPoint(null);
  const text = (
    <>
      <bdi>{label}</bdi>{' '}
      <span class="flow-amount number">{joined(wholeQuantity(metric, terms))}</span>
    </>
  );
  return (
    <li
      class={classOf(rows, lit)}
      style={{ top: `${node.top}px`, height: `${node.height}px` }}
      onMouseEnter={point}
      onMouseLeave={leave}
      onFocusIn={point}
      onFocusOut={leave}
    >
      <span class="flow-bar" style={{ backgroundColor: nodeColor(node, props) }} />
      {target ? (
        <a
          href={navigate.link(target)}
          title={node.part.readable}
          onClick={onPlainClick(() => navigate.go(target))}
        >
          {text}
        </a>
      ) : (
        <span class="flow-name">{text}</span>
      )}
    </li>
  );
}
