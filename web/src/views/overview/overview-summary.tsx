import type { RefObject } from 'preact';
import { swatchColor } from '../../chart/mirror-chart.tsx';
import { termsOf } from '../../data/overview/shown-overview.ts';
import { trafficParts, trafficWords } from '../../data/overview/traffic-words.ts';
import { wholeQuantity } from '../../data/row-figures.ts';
import { overviewQuery } from '../../data/view-as/overview-query.ts';
import { overviewCsv } from '../../export/overview-csv.ts';
import type { Picture } from '../../export/picture.ts';
import { longDuration } from '../../format/moment.ts';
import { baseName, joined, rateName } from '../../format/quantity.ts';
import { ExportMenu, exportName } from '../top/export-menu.tsx';
import { ViewAs, type ViewForms } from '../view-as/view-as.tsx';
import type { OverviewProps } from './overview-props.ts';

type OverviewSummaryProps = OverviewProps & {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
};

/** What is shown, and how it can be had elsewhere. */
export function OverviewSummary(props: OverviewSummaryProps) {
  const { shown, address, moments, navigate, canvas } = props;
  const { from, to } = shown.window;
  return (
    <section class="summary" aria-label="Summary">
      <div class="summary-head">
        <h1>
          Overview <span>of</span> <bdi>{address.context}</bdi>
        </h1>
        {shown.stored && (
          <p class="summary-window">
            <time dateTime={new Date(from * 1000).toISOString()}>{moments.range(from, to)}</time>
            <span>
              {longDuration(to - from)} · {moments.name(from, to)}
            </span>
          </p>
        )}
      </div>
      <div class="summary-end">
        <ExportMenu
          navigate={navigate}
          name={nameOf(props)}
          span={shown.window}
          csvOf={() => csvOf(props)}
          pictureOf={shown.traffic && (() => canvas.current && pictureOf(props, canvas.current))}
        />
        <ViewAs {...props} formsOf={() => formsOf(props)} />
      </div>
    </section>
  );
}

const nameOf = ({ shown, address }: OverviewProps) =>
  exportName([address.context, 'overview'], shown.window);

const csvOf = ({ shown, address }: OverviewProps) =>
  overviewCsv({ shown, context: address.context });

const formsOf = (props: OverviewProps): ViewForms => ({
  query: overviewQuery(props.address, props.choice, props.shown.window),
  rest: { why: 'REST answers for one group at a time.' },
  csv: { name: nameOf(props), text: csvOf(props) },
  span: props.shown.window,
});

/** Makes a picture of the chart, with its title, its window and its legend. */
function pictureOf(props: OverviewProps, chart: HTMLCanvasElement): Picture | null {
  const { shown, address, moments, theme } = props;
  const { traffic, window } = shown;
  if (!traffic) return null;
  const { group, meter } = traffic.subject;
  const terms = termsOf(group, meter.index, address.units);
  const { color, backgroundColor } = getComputedStyle(document.body);
  const amountOf = (amount: typeof traffic.total) => joined(wholeQuantity(amount, terms));
  return {
    title: `${trafficWords(traffic).title}: ${amountOf(traffic.total)}`,
    lines: [
      `${moments.range(window.from, window.to)} · ${moments.name(window.from, window.to)}`,
      `Context ${address.context} · ${rateName(terms.measure, terms.units)}, ${baseName(terms.units)}`,
    ],
    chart,
    legend: trafficParts(traffic).map((part) => ({
      color: swatchColor(theme.theme, part.color),
      label: part.label,
      text: amountOf(part.amount),
    })),
    ink: color,
    muted: color,
    surface: backgroundColor,
  };
}
