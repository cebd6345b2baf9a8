import { addsUp } from '../../data/meter-kind.ts';
import { rateQuantity, wholeQuantity } from '../../data/row-figures.ts';
import type { ShownTrend } from '../../data/trend/shown-trend.ts';
import { trendQuery } from '../../data/view-as/asked-queries.ts';
import { saveFile } from '../../export/save-file.ts';
import { trendCsv } from '../../export/trend-csv.ts';
import { allDigits } from '../../format/big-number.ts';
import { longDuration } from '../../format/moment.ts';
import { Icon } from '../../parts/icon.tsx';
import { MatchingSummary } from '../top/matching-summary.tsx';
import { averageOf, SummaryItem } from '../top/summary-item.tsx';
import { ViewAs, type ViewForms } from '../view-as/view-as.tsx';
import type { TrendProps } from './trend-props.ts';

/** What the trend is of, and what the whole window has. */
export function TrendSummary(props: TrendProps) {
  const { shown, moments } = props;
  const { group, meter, window } = shown;
  return (
    <section class="summary" aria-label="Summary">
      <div class="summary-head">
        <h1>
          <bdi>{group.name}</bdi>{' '}
          <span>
            by <bdi>{meter.name}</bdi>, ranks over time
          </span>
        </h1>
        <p class="summary-window">
          <time dateTime={new Date(window.from * 1000).toISOString()}>
            {moments.range(window.from, window.to)}
          </time>
          <span>
            {longDuration(window.to - window.from)} · {moments.name(window.from, window.to)}
          </span>
        </p>
      </div>
      <MatchingSummary
        {...props}
        shown={asShown(shown)}
        nameOf={(key) => shown.labels.get(key) ?? null}
      />
      <Totals {...props} />
      <div class="summary-end">
        <ViewAs {...props} formsOf={() => formsOf(props)} />
        <button type="button" class="button" onClick={() => saveCsv(props)}>
          <Icon name="save" /> Save as CSV
        </button>
      </div>
    </section>
  );
}

/** The trend as the largest keys of its window are shown. */
const asShown = (shown: ShownTrend) => ({
  ...shown,
  prefix: null,
  total: shown.whole?.total ?? null,
  table: shown.whole ?? { window: shown.window },
});

/** The same as above the largest keys. */
function Totals({ shown, terms }: TrendProps) {
  const { whole, meter } = shown;
  if (!whole) return null;
  const average = averageOf(whole.total, { shown: asShown(shown), terms });
  return (
    <dl class="summary-items">
      {addsUp(shown.kind) && (
        <>
          <SummaryItem
            name={whole.matching ? 'Total of all' : 'Total'}
            quantity={wholeQuantity(whole.total, terms)}
            title={`${allDigits(whole.total)} ${meter.units}`}
          />
          <SummaryItem name="Average" quantity={rateQuantity(average, terms)} />
        </>
      )}
      {!whole.matching && <SummaryItem name="Keys" quantity={[allDigits(whole.keyCount), '']} />}
    </dl>
  );
}

function csvOf({ shown, address }: TrendProps) {
  const time = (at: number) => new Date(at * 1000).toISOString().slice(0, 16);
  const { window, group, meter } = shown;
  const name = [address.context, group.name, meter.name, 'trend', time(window.from)]
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return { name, text: trendCsv({ shown, context: address.context }) };
}

function saveCsv(props: TrendProps): void {
  const { name, text } = csvOf(props);
  saveFile(`${name}.csv`, new Blob([text], { type: 'text/csv;charset=utf-8' }));
}

const formsOf = (props: TrendProps): ViewForms => ({
  query: trendQuery(props.address, props.choice),
  rest: { why: 'REST knows one window at a time, not the steps of a trend.' },
  csv: csvOf(props),
  span: props.shown.window,
});
