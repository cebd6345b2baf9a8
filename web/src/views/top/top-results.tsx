import { useRef } from 'preact/hooks';
import type { Watched } from '../../data/alerts/watched.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';
import type { ViewProps } from '../view-props.ts';
import { EmptyNotice } from './empty-notice.tsx';
import type { ResultsProps } from './results-props.ts';
import { Summary } from './summary.tsx';
import { TopChart } from './top-chart.tsx';
import { TopTable } from './top-table.tsx';

type TopResultsProps = ViewProps & { readonly shown: ShownToppers; readonly watched: Watched };

/** The answer: summary, chart and keys. */
export function TopResults(props: TopResultsProps) {
  const { shown, address } = props;
  const { kind, measure, group } = shown;
  const { topperBucketSize } = group;
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const given: ResultsProps = {
    ...props,
    terms: { kind, measure, units: address.units, topperBucketSize },
  };
  if (shown.table.keys.length === 0) return <EmptyNotice {...given} />;
  return (
    <>
      <Summary {...given} canvas={canvas} />
      <TopChart
        {...given}
        onCanvas={(drawn) => {
          canvas.current = drawn;
        }}
      />
      <TopTable {...given} />
    </>
  );
}
