import type { RefObject } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { comparesWindows } from '../../address/ranking.ts';
import { seriesColor } from '../../chart/palette.ts';
import { Swatch } from '../../chart/readout.tsx';
import { peakFigure, percentileFigure, whyNoBuckets } from '../../data/bucket-figures.ts';
import { coveredPart } from '../../data/chart-data.ts';
import { earlierGap } from '../../data/earlier.ts';
import {
  distinctLabels,
  partName,
  partsOf,
  readableBeside,
  shownLabel,
} from '../../data/key-parts.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { inNetworks } from '../../data/networks.ts';
import { ordinalOf, rankedBy, valueName } from '../../data/ranking-words.ts';
import {
  amountQuantity,
  growthQuantity,
  rateQuantity,
  shareQuantity,
} from '../../data/row-figures.ts';
import type { TopRow } from '../../data/shown-toppers.ts';
import { allDigits, partOf, toNumber } from '../../format/big-number.ts';
import { changeOf } from '../../format/change.ts';
import { isolated } from '../../format/isolated.ts';
import { longDuration } from '../../format/moment.ts';
import type { Quantity } from '../../format/quantity.ts';
import { BucketFigureOf, Figure } from '../../parts/figure.tsx';
import { useFocusInPlace } from '../../parts/focus.ts';
import { IconButton } from '../../parts/icon.tsx';
import { KeyName, KeyText } from '../../parts/key-name.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { useShortTable } from '../../parts/short-table.tsx';
import { Others } from './others-row.tsx';
import type { ResultsProps } from './results-props.ts';
import {
  growthName,
  percentileName,
  type RankedColumn,
  rankedColumn,
  TopTableHead,
} from './top-table-head.tsx';
import { useMovingRows } from './use-moving-rows.ts';

/** The keys, largest first. Arrow keys move between keys, Enter opens a key's panel. */
export function TopTable(props: ResultsProps) {
  const { shown, terms, address } = props;
  const { keys } = shown.table;
  const largest = Math.max(0, ...keys.map(({ metric }) => toNumber(metric)));
  const body = useRef<HTMLTableSectionElement>(null);
  const isSum = addsUp(terms.kind);
  const names = useMemo(() => distinctLabels(keys, shown.group), [shown]);
  const hide = useHiding(props, body);
  const { shortClass, showAll } = useShortTable(keys.length);
  useMovingRows(body, address.live ? keys.map(({ key }) => key) : []);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = linksOf(body.current);
    const index = links.findIndex((link) => link.matches(':focus'));
    if (!step || index < 0) return;
    event.preventDefault();
    links[index + step]?.focus();
  };
  return (
    <section class="card table-card" aria-label={address.view === 'flows' ? 'Pairs' : 'Top keys'}>
      <table class={`top-table ${shortClass} ${isSum ? '' : 'is-plain'}`}>
        <caption class="sr-only">{captionOf(shown)}</caption>
        <TopTableHead {...props} />
        <tbody ref={body} onKeyDown={onKeyDown}>
          {keys.map((row, index) => (
            <Row
              key={row.key}
              {...props}
              row={row}
              name={names.get(row.key) ?? row.label}
              index={index}
              largest={largest}
              onHide={hide}
            />
          ))}
        </tbody>
        {isSum && <Others {...props} />}
      </table>
      {showAll}
      <p class="table-foot hint">{footnote(props)}</p>
    </section>
  );
}

const linksOf = (body: HTMLElement | null): readonly HTMLElement[] =>
  body ? [...body.querySelectorAll<HTMLElement>('.key-link')] : [];

function captionOf({ group, meter, ranking, prefix }: ResultsProps['shown']): string {
  const ranked = rankedBy(ranking);
  const what = `The ${ranked ? 'first' : 'largest'} keys of ${group.name} by ${meter.name}`;
  return [what, inNetworks(prefix, group), ranked].filter(Boolean).join(', ');
}

/** Returns what the column heads cannot say. */
function footnote({ shown, terms, moments }: ResultsProps): string {
  const bucket = longDuration(shown.group.topperBucketSize);
  const before = shown.table.keys.find(({ previous }) => previous)?.previous?.window;
  const why = whyNoBuckets(coveredPart(shown.table.window, shown.stored), terms);
  const first = why
    ? `${why}, so there is no peak or percentile.`
    : `Peak and ${ordinalOf(shown.percentile)} percentile refer to buckets of ${bucket}.`;
  if (!before) return first;
  const then = moments.range(before.from, before.to);
  const gap = earlierGap({ earlier: before, stored: shown.stored });
  if (gap?.isWhole) return `${first} No change is shown: nothing is stored for ${then}.`;
  if (gap) return `${first} No change is shown: ${then} is only partly stored.`;
  return hasNothingEarlier(shown)
    ? `${first} None of these keys was counted in ${then}, or nothing is stored for it.`
    : `${first} Change compares with ${then}.`;
}

/** Returns whether no listed key was counted in the earlier window: maybe nothing is stored. */
const hasNothingEarlier = ({ table }: ResultsProps['shown']): boolean =>
  table.keys.every(({ previous }) => toNumber(previous?.metric ?? 0) === 0);

type RowProps = ResultsProps & {
  readonly row: TopRow;
  /** Names the key alone: its label, with the readable key if others have the same label. */
  readonly name: string;
  readonly index: number;
  /** The largest listed metric. */
  readonly largest: number;
  readonly onHide: (key: string, index: number) => void;
};

/** Hides a key. The focus stays in place, on the key that moves there. */
function useHiding(
  { shown, address, navigate }: ResultsProps,
  body: RefObject<HTMLTableSectionElement | null>,
): RowProps['onHide'] {
  const stayAt = useFocusInPlace(shown, () => linksOf(body.current));
  return (key, index) => {
    // Its row stays until the answer without it is there.
    if (address.hidden.includes(key)) return;
    stayAt(index);
    navigate.go({ hidden: [...address.hidden, key] });
  };
}

function Row(props: RowProps) {
  const { row, shown, terms, address, focus } = props;
  const isSum = addsUp(terms.kind);
  const isOpen = address.key === row.key;
  const color = colorOf(props);
  const covered = coveredPart(shown.table.window, shown.stored);
  const ranked = rankedColumn(shown.ranking);
  const growth = growthName(shown.ranking);
  const numberClass = (column: RankedColumn) =>
    `is-number is-${column} ${column === ranked ? 'is-ranked' : ''}`;
  return (
    <tr
      class={`${isOpen ? 'is-open' : ''} ${focus.hovered === row.key ? 'is-highlighted' : ''}`}
      data-row={row.key}
      onMouseEnter={() => focus.hover(row.key)}
      onMouseLeave={() => focus.hover(null)}
      onFocusCapture={() => focus.hover(row.key)}
      onBlurCapture={() => focus.hover(null)}
    >
      <td class="is-rank number">{row.rank}</td>
      <KeyCell {...props} isOpen={isOpen} color={color} />
      <td class={numberClass('amount')} data-name={valueName(shown.meter)}>
        <Figure
          quantity={amountQuantity(row, terms)}
          title={`${allDigits((isSum ? row.volume : null) ?? row.metric)} ${shown.meter.units}`}
        />
      </td>
      {isSum && (
        <Share
          share={shareQuantity(row.metric, shown.total)}
          bar={partOf(row.metric, props.largest)}
          color={color}
        />
      )}
      {isSum && (
        <td class="is-number is-average" data-name="Average">
          <Figure quantity={rateQuantity(row.averageRate, terms)} />
        </td>
      )}
      <td class={numberClass('peak')} data-name="Peak">
        <BucketFigureOf figure={peakFigure(row, terms, covered)} />
      </td>
      <td class={numberClass('percentile')} data-name={percentileName(shown.percentile)}>
        <BucketFigureOf
          figure={percentileFigure(row.percentiles?.[0]?.value ?? null, terms, covered)}
        />
      </td>
      {growth && (
        <td class={numberClass('growth')} data-name={growth}>
          <Figure
            quantity={growthQuantity(row.rankValue, shown.ranking, terms)}
            title={`${allDigits(row.rankValue)} ${shown.meter.units}`}
          />
        </td>
      )}
      <ChangeCell {...props} />
      <td class="is-act">
        <IconButton
          icon="hide"
          name={`Hide ${isolated(props.name)} and rank again`}
          onClick={() => props.onHide(row.key, props.index)}
        />
      </td>
    </tr>
  );
}

/** Returns the colour of the row's layer in the chart, or of its band in the picture of flows. */
function colorOf({ row, shown, colors, address, theme: { theme } }: RowProps): string {
  const [first] = address.view === 'flows' ? partsOf(row, shown.group) : [];
  if (first) return seriesColor(theme, colors.get(partName(first)) ?? -1);
  const isCharted = shown.chart.lines.some(({ key }) => key === row.key);
  return seriesColor(theme, isCharted ? (colors.get(row.key) ?? -1) : -1);
}

type KeyCellProps = RowProps & { readonly isOpen: boolean; readonly color: string };

/** Links to the key's panel, or closes it. */
function KeyCell({ row, shown, navigate, isOpen, color }: KeyCellProps) {
  const open = { key: isOpen ? null : row.key };
  const label = shownLabel(row, shown.group);
  return (
    <th scope="row" class="is-key">
      <KeyName readable={readableBeside(row, shown.group)} hasParts={shown.group.crosskey !== null}>
        <Swatch color={color} />
        <a
          class="key-link"
          href={navigate.link(open)}
          title={label}
          aria-expanded={isOpen}
          data-key={row.key}
          onClick={onPlainClick(() => navigate.go(open))}
        >
          <KeyText text={label} />
        </a>
      </KeyName>
    </th>
  );
}

type ShareProps = {
  readonly share: Quantity | null;
  /** Length of the bar: that of the largest key is full, so that keys can be compared. */
  readonly bar: number;
  readonly color: string;
};

function Share({ share, bar, color }: ShareProps) {
  return (
    <td class="is-share" data-name="Share">
      <span class="share">
        <Figure quantity={share} />
        <span class="share-track" aria-hidden="true">
          <span
            class="share-bar"
            style={{ width: `${Math.min(100, bar * 100)}%`, backgroundColor: color }}
          />
        </span>
      </span>
    </td>
  );
}

function ChangeCell({ row, shown, terms, moments, address }: RowProps) {
  const { previous } = row;
  // Where all of the largest keys would be new, it is more likely a gap.
  const isGap = address.filters.length === 0 && !comparesWindows(shown.ranking);
  const change = changeOf(
    isGap && hasNothingEarlier(shown) ? null : previous,
    shown.stored?.from ?? null,
  );
  const metric = previous?.metric ?? null;
  const then =
    metric === null ? null : amountQuantity({ ...row, ...asVolume({ metric }, terms) }, terms);
  const title =
    change.direction === 'unknown'
      ? 'There is nothing to compare with, or not all of it is stored'
      : previous
        ? `${then?.join(' ') ?? ''} then: ${moments.range(previous.window.from, previous.window.to)}${previous.rank === null || shown.ranking.by !== 'metric' ? '' : `, rank ${previous.rank}`}`
        : '';
  return (
    <td class="is-number" data-name="Change" title={title}>
      <span class={`number change is-${change.direction}`}>{change.text}</span>
    </td>
  );
}

/** Returns a key's earlier metric and volume. The answer has only the metric. */
function asVolume(
  { metric }: { readonly metric: number | string },
  { kind, topperBucketSize }: ResultsProps['terms'],
) {
  return {
    metric,
    volume: kind === 'rate' ? toNumber(metric) * topperBucketSize : metric,
  };
}
