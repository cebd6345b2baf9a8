import { formatRanking } from '../../address/ranking.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { prefixName } from '../../data/networks.ts';
import { topQuery } from '../../data/view-as/asked-queries.ts';
import { topRest } from '../../data/view-as/rest-address.ts';
import { topCsv } from '../../export/top-csv.ts';
import type { ViewForms } from '../view-as/view-as.tsx';
import { exportName } from './export-menu.tsx';
import type { ResultsProps } from './results-props.ts';

/** Returns how the largest keys can be had elsewhere. */
export const topForms = (props: ResultsProps): ViewForms => ({
  query: topQuery(props.address, props.choice),
  rest: topRest(props.address, props.shown.table.window),
  csv: { name: topName(props), text: topCsv(props) },
  span: props.shown.table.window,
});

/** Returns the name of files with the largest keys. */
export function topName({ shown, address }: ResultsProps): string {
  const ranking = shown.ranking.by === 'metric' ? [] : [`by ${formatRanking(shown.ranking)}`];
  const networks = shown.prefix ? [prefixName(shown.prefix, shown.group)] : [];
  const what = [address.context, shown.group.name, shown.meter.name, ...networks, ...ranking];
  return exportName(what, shown.table.window);
}

export function hasPicture({ shown: { faults, kind, group }, address }: ResultsProps): boolean {
  return address.view === 'flows' ? addsUp(kind) && group.crosskey !== null : !faults.chart;
}
