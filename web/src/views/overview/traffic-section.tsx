import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { EarlierTraffic } from '../../../generated/operations.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import {
  comparison,
  drawnTime,
  earlierSpans,
  earlierTimes,
} from '../../data/overview/compared-times.ts';
import { earlierTrafficVariables } from '../../data/overview/overview-question.ts';
import {
  amountOf,
  type ShownTraffic,
  termsOf,
  trafficChart,
} from '../../data/overview/shown-overview.ts';
import { trafficMirror } from '../../data/overview/traffic-words.ts';
import type { EarlierState, OverviewProps } from './overview-props.ts';
import { TrafficChartCard, type TrafficChartProps } from './traffic-chart-card.tsx';
import { TrafficFigures } from './traffic-figures.tsx';

type TrafficSectionProps = OverviewProps & { readonly traffic: ShownTraffic };

type SectionProps = TrafficSectionProps &
  Pick<TrafficChartProps, 'onCanvas'> & { readonly children: ComponentChildren };

/** How much traffic there is, and whether that is more than before; below it, when it was. */
export function TrafficSection({ children, ...props }: SectionProps) {
  const { traffic } = props;
  const earlier = useEarlier(props);
  const data = useMemo(() => trafficMirror(traffic, earlier.drawn), [traffic, earlier.drawn]);
  return (
    <>
      <TrafficFigures {...props} earlier={earlier} />
      {children}
      <TrafficChartCard {...props} data={data} />
    </>
  );
}

/** Asks for the traffic of earlier times, once it is known which times they are. */
function useEarlier({ shown, traffic, address, session }: TrafficSectionProps): EarlierState {
  const times = earlierTimes(shown.window);
  const question = earlierTrafficVariables(shown.asked, earlierSpans(times, address));
  const { data, variables, problems, fault } = useAnswer(EarlierTraffic, question, session);
  const { subject, total } = traffic;
  const { units } = address;
  const terms = termsOf(subject.group, subject.meter.index, units);
  // While a live view asks about the next window, it shows what is known of the one before.
  const known = useRef<Pick<EarlierState, 'comparisons' | 'drawn'>>(NOT_KNOWN);
  const isAnswered = JSON.stringify(variables) === JSON.stringify(question);
  known.current = useMemo(() => {
    const answered = data?.context?.traffic;
    if (!isAnswered || !answered) return known.current;
    const amounts = [answered.first, answered.second];
    const { span, name } = drawnTime(times, address);
    return {
      comparisons: times.flatMap((time, index) => {
        const amount = amounts[index];
        if (!time || !amount) return [];
        const earlier = amount.keys.length > 0 ? amountOf(amount, subject) : null;
        return comparison({ now: total, earlier, time, stored: amount.availableWindow, terms });
      }),
      drawn: answered.all?.keys.length
        ? {
            chart: trafficChart(answered, subject, shown.asked.step ?? null),
            name,
            ago: shown.window.from - span.from,
          }
        : null,
    };
  }, [data, isAnswered, total, address.compare, units]);
  const [problem] = problems;
  return {
    ...known.current,
    fault: fault ?? (problem && isAnswered ? faultOfProblem(problem) : null),
  };
}

const NOT_KNOWN = { comparisons: null, drawn: null } as const;
