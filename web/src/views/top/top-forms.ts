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
  csv: { name: exportName(props), text: topCsv(props) },
  span: props.shown.table.window,
});
