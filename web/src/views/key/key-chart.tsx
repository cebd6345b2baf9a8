import { useMemo } from 'preact/hooks';
import { chartScale } from '../../chart/chart-scale.ts';
import { TimeChart } from '../../chart/time-chart.tsx';
import { type RulesInChart, rulesInChart } from '../../data/alerts/chart-rules.ts';
import { chartData, coveredPart } from '../../data/chart-data.ts';
import { drawnData } from '../../data/drawn-data.ts';
import { shownLabel } from '../../data/key-parts.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { isolated } from '../../format/isolated.ts';
import { longDuration } from '../../format/moment.ts';
import { ChartRulesMenu, rulesSentence } from '../alerts/chart-rules-menu.tsx';
import { EarlierKey } from '../earlier-key.tsx';
import { useEarlier } from '../use-earlier.ts';
import type { Figures } from './key-facts.tsx';
import type { KeyViewProps } from './key-props.ts';

type KeyChartProps = KeyViewProps & { readonly figures: Figures };

/** The chart of one key over time. */
export function KeyChart(props: KeyChartProps) {
  const { figures, terms, shownKey, address, navigate, theme, moments, rawKey, group } = props;
  const step = shownKey.asked.step ?? terms.topperBucketSize;
  const label = shownKey.known ? shownLabel(shownKey.known, group) : rawKey;
  const bucketSize = group?.bucketSize ?? terms.topperBucketSize;
  const covered = coveredPart(shownKey.window ?? NEVER, shownKey.stored);
  const data = useMemo(() => {
    const { series } = figures;
    const chart = chartData(
      { keys: [{ key: rawKey, label, series }], whole: null },
      { kind: terms.kind, step, bucketSize, covered },
    );
    // One key is not a stack, but its area is still its volume.
    const form = addsUp(terms.kind) ? 'stack' : 'lines';
    return drawnData(chart, { form, rest: null, only: null, colors: new Map() });
  }, [figures, step, covered.from, covered.to]);
  const { drawn, rules } = useRulesInChart(props, data.step);
  const { window } = shownKey;
  const earlier = useEarlier(
    props,
    window && {
      kind: terms.kind,
      step,
      bucketSize,
      window,
      of: { ...shownKey.asked, prefix: address.prefix },
      filter: { keys: [rawKey] },
    },
  );
  const scale = chartScale(addsUp(terms.kind), terms.measure, address.units);
  if (!window) return null;
  return (
    <section class="panel-chart" aria-label={`${isolated(label)} over time`}>
      <div class="panel-chart-head">
        <h3>
          {addsUp(terms.kind) ? `Rate in ${scale.name}` : scale.name}
          <span> · one value per {longDuration(data.step).replace(/^1 /, '')}</span>
        </h3>
        <ChartRulesMenu {...props} rules={rules} span={window} />
      </div>
      <TimeChart
        data={data}
        span={window}
        grain={bucketSize}
        factor={scale.factor}
        style={{
          theme: theme.theme,
          zone: moments.zone,
          base: address.units.base,
          unit: scale.name,
          formatValue: scale.formatValue,
        }}
        rules={drawn}
        earlier={earlier.line}
        height={150}
        label={`${isolated(label)} over time. Arrow keys move through time.${rulesSentence(rules)}`}
        formatTime={moments.range}
        onZoom={({ from, to }) => navigate.go({ window: { kind: 'interval', from, to } })}
      />
      <EarlierKey earlier={earlier} address={address} />
    </section>
  );
}

function useRulesInChart(props: KeyChartProps, step: number): RulesInChart {
  const { terms, watched, rawKey, shownKey, address } = props;
  const { from, to } = shownKey.window ?? NEVER;
  const { kind, topperBucketSize } = terms;
  return useMemo(() => {
    const hasFired = (rule: string) =>
      watched.events.some((event) => event.rule === rule && event.key?.key === rawKey);
    const shows = { kind: 'key', hasFired } as const;
    const of = address.prefix ? 'networks' : 'keys';
    const watching = { kind, step, topperBucketSize, of, shows } as const;
    return rulesInChart(watched, watching, { span: { from, to }, key: rawKey });
  }, [watched, kind, step, topperBucketSize, address.prefix, rawKey, from, to]);
}

const NEVER = { from: 0, to: 0 } as const;
