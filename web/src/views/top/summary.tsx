import type { RefObject } from 'preact';
import { addsUp } from '../../data/meter-kind.ts';
import { inNetworks } from '../../data/networks.ts';
import { rankedBy } from '../../data/ranking-words.ts';
import { averageName, rateQuantity, wholeQuantity } from '../../data/row-figures.ts';
import { topCsv } from '../../export/top-csv.ts';
import { pictureOf } from '../../export/top-picture.ts';
import { allDigits } from '../../format/big-number.ts';
import { longDuration } from '../../format/moment.ts';
import { amountName, baseName, rateName } from '../../format/quantity.ts';
import { ViewAs } from '../view-as/view-as.tsx';
import { ExportMenu } from './export-menu.tsx';
import { MatchingSummary } from './matching-summary.tsx';
import { RankingNote } from './ranking-note.tsx';
import type { ResultsProps } from './results-props.ts';
import { averageOf, SummaryItem } from './summary-item.tsx';
import { hasPicture, topForms, topName } from './top-forms.ts';

type SummaryProps = ResultsProps & { readonly canvas: RefObject<HTMLCanvasElement | null> };

/** The total, the window, and the units. */
export function Summary(props: SummaryProps) {
  const { shown, terms, moments, canvas } = props;
  const { table, total, others, meter, kind } = shown;
  const { from, to } = table.window;
  const isSum = addsUp(kind);
  const ranked = rankedBy(shown.ranking);
  const networks = inNetworks(shown.prefix, shown.group);
  return (
    <section class="summary" aria-label="Summary">
      <div class="summary-head">
        <h1>
          <bdi>{shown.group.name}</bdi>{' '}
          <span>
            by <bdi>{meter.name}</bdi>
            {networks && `, ${networks}`}
            {ranked && `, ${ranked}`}
          </span>
        </h1>
        <p class="summary-window">
          <time dateTime={new Date(from * 1000).toISOString()}>{moments.range(from, to)}</time>
          <span>
            {longDuration(to - from)} · {moments.name(from, to)}
          </span>
        </p>
      </div>
      <MatchingSummary
        {...props}
        nameOf={(key) => table.keys.find((each) => each.key === key)?.label ?? null}
      />
      <dl class="summary-items">
        {isSum && (
          <>
            <SummaryItem
              name={table.matching ? 'Total of all' : 'Total'}
              quantity={total === null ? null : wholeQuantity(total, terms)}
              title={total === null ? NO_TOTAL : `${allDigits(total)} ${meter.units}`}
            />
            <SummaryItem
              name={averageName(table.window, shown.stored)}
              quantity={rateQuantity(averageOf(total, props), terms)}
            />
            <SummaryItem name="Others" quantity={wholeQuantity(others, terms)} />
          </>
        )}
        {!table.matching && (
          <SummaryItem
            name={shown.prefix ? 'Networks' : 'Keys'}
            quantity={[allDigits(table.keyCount), '']}
          />
        )}
      </dl>
      <div class="summary-end">
        <ExportMenu
          navigate={props.navigate}
          name={topName(props)}
          span={table.window}
          csvOf={() => topCsv(props)}
          pictureOf={
            hasPicture(props) ? () => canvas.current && pictureOf(props, canvas.current) : null
          }
        />
        <ViewAs {...props} formsOf={() => topForms(props)} />
        <p class="hint summary-units">{inWords(props)}</p>
      </div>
      <RankingNote {...props} />
      {/* Says what the total consists of, which is not always the traffic. */}
      {meter.description && (
        <p class="hint summary-note">
          {isSum
            ? meter.description.replace(/\.?$/, '. Shares are of the total.')
            : meter.description}
        </p>
      )}
    </section>
  );
}

const NO_TOTAL = 'The values of the hidden keys, which are not part of the total, are missing';

function inWords({ shown, terms }: ResultsProps): string {
  const { measure, units } = terms;
  const sampled = shown.group.samplingRate > 1 ? ` · sampled 1 : ${shown.group.samplingRate}` : '';
  if (measure.kind === 'other') return `In ${measure.name} (k = 1000)${sampled}`;
  const unitNames = `Amounts in ${amountName(measure, units)}, rates in ${rateName(measure, units)}`;
  return `${unitNames} (${baseName(units)})${sampled}`;
}
