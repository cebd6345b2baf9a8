import { useRef } from 'preact/hooks';
import type { Watched } from '../../data/alerts/watched.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';
import { FaultNotice } from '../../parts/notice.tsx';
import { FlowsCard } from '../flows/flows-card.tsx';
import { PlaceLists } from '../flows/places.tsx';
import type { ViewProps } from '../view-props.ts';
import { EmptyNotice } from './empty-notice.tsx';
import type { ResultsProps } from './results-props.ts';
import { Summary } from './summary.tsx';
import { TopChart } from './top-chart.tsx';
import { TopTable } from './top-table.tsx';
import { useChartFocus } from './use-chart-focus.ts';
import { useFlowColors, useKeyColors } from './use-key-colors.ts';

type TopResultsProps = ViewProps & {
  readonly shown: ShownToppers;
  readonly watched: Watched;
  readonly onReload: () => void;
};

/** The answer: summary, chart and keys. In the place of a part that failed, it says why. */
export function TopResults(props: TopResultsProps) {
  const { shown, address, onReload } = props;
  const { kind, measure, group, faults } = shown;
  const { topperBucketSize } = group;
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const onCanvas = (drawn: HTMLCanvasElement | null) => {
    canvas.current = drawn;
  };
  const keyColors = useKeyColors(shown, address.context);
  const flowColors = useFlowColors(shown);
  const given: ResultsProps = {
    ...props,
    terms: { kind, measure, units: address.units, topperBucketSize },
    colors: address.view === 'flows' ? flowColors : keyColors,
    focus: useChartFocus(JSON.stringify([group.guid, shown.meter.index, shown.prefix])),
  };
  const rest = faults.rest && (
    <FaultNotice
      fault={faults.rest}
      missing={shown.total === null ? NO_TOTAL : 'A part of the answer is missing.'}
      onRetry={onReload}
    />
  );
  if (shown.table.keys.length === 0) {
    return (
      <>
        {rest}
        <EmptyNotice {...given} />
      </>
    );
  }
  return (
    <>
      <Summary {...given} canvas={canvas} />
      {address.view === 'flows' ? (
        <FlowsCard {...given} onCanvas={onCanvas} />
      ) : faults.chart ? (
        <FaultNotice fault={faults.chart} missing="The chart is missing." onRetry={onReload} />
      ) : (
        <TopChart {...given} onCanvas={onCanvas} />
      )}
      {rest}
      <TopTable {...given} />
      {address.view === 'flows' && <PlaceLists {...given} />}
    </>
  );
}

const NO_TOTAL =
  'The values of the hidden keys are missing. Without them, there is no total and no share.';
