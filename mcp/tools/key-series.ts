import { z } from 'zod';
import { shown } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { intersect } from '../../domain/time/interval.ts';
import { isoTime } from '../../domain/time/iso-time.ts';
import {
  CONTEXT_ARGUMENTS,
  CONTEXT_FIELD,
  CONTEXT_VARIABLES,
  contextVariables,
} from '../arguments/context-arguments.ts';
import { prefixArgument } from '../arguments/filter-argument.ts';
import { integer, text } from '../arguments/forms.ts';
import { counterGroup, meter, probe } from '../arguments/group-arguments.ts';
import { timeZone, windowArgument } from '../arguments/window-argument.ts';
import { chooseStep } from '../choose-step.ts';
import type { BigNumber, Graph, Interval } from '../graph.ts';
import { checkProbe } from '../names/check-probe.ts';
import { findGroup } from '../names/find-group.ts';
import { findMeter } from '../names/find-meter.ts';
import { askContext, type KnownMeter } from '../names/known-context.ts';
import {
  amount,
  groupOf,
  groupShape,
  keyOf,
  keyShape,
  keyText,
  meterOf,
  meterShape,
  type NamedKey,
  subjectText,
  windowOf,
  windowShape,
} from '../shapes.ts';
import { amountText, rateText, shareText } from '../text/amount.ts';
import { linesText } from '../text/lines.ts';
import { isRate, isSum, ruleOf } from '../text/meter-rules.ts';
import { windowText } from '../text/window-text.ts';
import { defineTool } from '../tool.ts';
import { ToolFault } from '../tool-fault.ts';
import { averageRateShape } from '../topper-answer.ts';

const VARIABLES = `${CONTEXT_VARIABLES}, $counterGroup: Guid!, $meter: Int!, $keys: [String!]!,
  $window: WindowInput, $timeZone: String, $prefix: PrefixInput, $probe: String`;

const TOPPER = `counterGroup(guid: $counterGroup) { topper(
    meter: $meter, maxItems: 1, window: $window, timeZone: $timeZone, prefix: $prefix,
    probe: $probe, filter: { keys: $keys }
  )`;

/** Queried first: the resolved window determines the length of the steps. */
const SUMMARY = `query McpKeyMetric(${VARIABLES}) {
  ${CONTEXT_FIELD} { ${TOPPER} {
    window { from to }
    total
    availableWindow { from to }
    keys { key readable label metric share peak averageRate }
  } } }
}`;

const SERIES = `query McpKeySeries(${VARIABLES}, $step: Int!) {
  ${CONTEXT_FIELD} { ${TOPPER} { keys { series(step: $step) { at value } } } } }
}`;

type Summary = {
  readonly window: Interval;
  readonly total: BigNumber;
  readonly availableWindow: Interval | null;
  readonly keys: readonly SummedKey[];
};

type SummedKey = NamedKey & {
  readonly metric: BigNumber;
  readonly share: number | null;
  readonly peak: BigNumber;
  readonly averageRate: number | null;
};

type Point = { readonly at: number; readonly value: BigNumber };

type Inside<Topper> = { readonly context: { readonly counterGroup: { readonly topper: Topper } } };

export const keySeries = defineTool({
  name: 'key_series',
  title: 'Series of one key',
  description:
    'One key over time: its value in each step of a window, with its metric over the whole ' +
    'window and the total of the group. Steps are long enough to keep the answer small.',
  input: z.strictObject({
    ...CONTEXT_ARGUMENTS,
    counterGroup: counterGroup(),
    key: text('a key, raw or readable').describe('The key, raw or readable: `192.168.1.10`.'),
    meter: meter('to show'),
    window: windowArgument(),
    maxPoints: integer(1, LIMITS.mcpPoints)
      .default(LIMITS.defaultMcpPoints)
      .describe('Maximum number of points: the step is chosen so that they fit.'),
    step: integer(1, LIMITS.seriesStepSeconds)
      .optional()
      .describe(
        'Seconds between points, a multiple of `bucketSize`, instead of an automatic step.',
      ),
    prefix: prefixArgument(),
    probe: probe(),
    timeZone: timeZone(),
  }),
  output: z.object({
    context: z.string(),
    counterGroup: groupShape,
    meter: meterShape,
    key: z.object(keyShape),
    window: windowShape,
    step: z.int().describe('Seconds between points.'),
    points: z.array(
      z.object({
        at: z.int().describe('Start of the step, in seconds since 1970.'),
        time: z.string().describe('The same in ISO 8601.'),
        value: amount(),
      }),
    ),
    metric: amount().describe('Of the key over the whole window.'),
    peak: amount().describe('Of the key: the largest topper bucket.'),
    averageRate: averageRateShape,
    share: z.number().optional().describe('Part of `total`, 0 to 1.'),
    total: amount().describe('Of the whole group over the window.'),
  }),
  async answer({ counterGroup: wanted, meter: measured, key, ...given }, graph) {
    const known = await askContext(graph, given);
    const group = findGroup(known, wanted);
    const meter = findMeter(group, measured);
    checkProbe(known, given.probe);
    const variables = {
      ...contextVariables(given),
      counterGroup: group.guid,
      meter: meter.index,
      keys: [key],
      window: given.window,
      timeZone: given.timeZone,
      prefix: given.prefix,
      probe: given.probe,
    };
    const data = await graph.ask<Inside<Summary>>(SUMMARY, variables);
    const summary = data.context.counterGroup.topper;
    const found = summary.keys[0];
    if (!found) throw nothing(`${shown(key)} of ${group.name}`, meter, summary);
    const { window, total } = summary;
    // A window without data has no key.
    const covered = intersect(window, summary.availableWindow ?? window);
    const step = chooseStep(covered, group, given);
    const points = await askPoints(graph, { ...variables, window: { interval: covered }, step });
    const { metric, share, peak, averageRate } = found;
    const structured = {
      context: known.name,
      counterGroup: groupOf(group),
      meter: meterOf(meter),
      key: keyOf(found),
      window: windowOf(window),
      step,
      points: points.map(({ at, value }) => ({ at, time: isoTime(at), value })),
      metric,
      peak,
      ...(averageRate !== null && { averageRate }),
      ...(share !== null && { share }),
      total,
    };
    const headline = `${keyText(found)}: ${subjectText(group, meter)} in ${known.name}`;
    return { structured, text: linesText([headline, ...seriesLines(structured, meter)]) };
  },
});

async function askPoints(graph: Graph, variables: Readonly<Record<string, unknown>>) {
  const data = await graph.ask<Inside<{ keys: readonly { series: readonly Point[] }[] }>>(
    SERIES,
    variables,
  );
  return data.context.counterGroup.topper.keys[0]?.series ?? [];
}

function nothing(key: string, meter: KnownMeter, { window, availableWindow }: Summary): ToolFault {
  const data = availableWindow
    ? `the group has data from ${windowText(availableWindow)}`
    : 'the group has no data';
  return new ToolFault(
    `The key ${key} has no ${meter.name} in the window ${windowText(window)}; ${data}, ` +
      'and search_keys finds its keys',
  );
}

type KeySeries = Omit<SummedKey, keyof NamedKey | 'averageRate' | 'share'> & {
  readonly averageRate?: number | undefined;
  readonly window: Interval;
  readonly step: number;
  readonly points: readonly Point[];
  readonly share?: number | undefined;
  readonly total: BigNumber;
};

function seriesLines(series: KeySeries, meter: KnownMeter): string[] {
  const { window, step, points } = series;
  return [
    `window ${windowText(window)}, a point every ${step} s`,
    ...points.map(({ at, value }) => `${isoTime(at)} ${amountText(value, meter.units)}`),
    isRate(meter.type) ? rateSummary(series, meter) : summary(series, meter),
  ];
}

function summary({ metric, peak, share, total }: KeySeries, { units, type }: KnownMeter): string {
  const whole = isSum(type) ? 'the points add up to' : 'over the whole window';
  return (
    `${whole} ${amountText(metric, units)}${partText(share)}; ` +
    `largest topper bucket ${amountText(peak, units)}; ` +
    `the whole group: ${amountText(total, units)}`
  );
}

/**
 * The average comes first: the metric of a rate grows with the length of the window, which a reader
 * does not expect of a value in bytes per second.
 */
function rateSummary(
  { metric, peak, share, total, averageRate }: KeySeries,
  meter: KnownMeter,
): string {
  const { units, type } = meter;
  const average = averageRate === undefined ? '' : `on average ${rateText(averageRate, meter)}; `;
  return (
    `${average}largest topper bucket ${amountText(peak, units)}; ` +
    `the metric is the ${ruleOf(type)}: ${amountText(metric, units)}${partText(share)}; ` +
    `the whole group: ${amountText(total, units)}`
  );
}

const partText = (share: number | undefined): string =>
  share === undefined ? '' : `, ${shareText(share)} of the group`;
