import { z } from 'zod';
import { LIMITS } from '../../domain/limits.ts';
import { DEFAULT_PERCENTILE } from '../../domain/toppers/ranking.ts';
import {
  CONTEXT_ARGUMENTS,
  CONTEXT_FIELD,
  CONTEXT_VARIABLES,
  contextVariables,
} from '../arguments/context-arguments.ts';
import { filterArgument, prefixArgument } from '../arguments/filter-argument.ts';
import { integer, number, oneOf, yesOrNo } from '../arguments/forms.ts';
import { counterGroup, meter, probe } from '../arguments/group-arguments.ts';
import { timeZone, windowArgument } from '../arguments/window-argument.ts';
import type { Interval } from '../graph.ts';
import { checkProbe } from '../names/check-probe.ts';
import { findGroup } from '../names/find-group.ts';
import { findMeter } from '../names/find-meter.ts';
import { askContext } from '../names/known-context.ts';
import { groupOf, groupShape, meterOf, meterShape, subjectText } from '../shapes.ts';
import { linesText } from '../text/lines.ts';
import { defineTool } from '../tool.ts';
import { ToolFault } from '../tool-fault.ts';
import {
  KEY_FIELDS,
  PREVIOUS_FIELDS,
  TOPPER_FIELDS,
  type TopperAnswer,
  topperLines,
  topperOf,
  topperShape,
} from '../topper-answer.ts';

const RANKINGS = ['METRIC', 'PEAK', 'PERCENTILE', 'GROWTH', 'DECLINE', 'NEW'] as const;

/** Rankings that compare with an earlier window, which the answer then includes. */
const COMPARING: ReadonlySet<string> = new Set(['GROWTH', 'DECLINE', 'NEW']);

const VARIABLES = `${CONTEXT_VARIABLES}, $counterGroup: Guid!, $meter: Int!, $maxItems: Int!,
  $window: WindowInput, $timeZone: String, $timeoutSeconds: Int, $rankBy: RankBy!,
  $percentile: Float, $ago: Int, $filter: KeyFilterInput, $prefix: PrefixInput, $probe: String`;

const ARGUMENTS = `meter: $meter, maxItems: $maxItems, window: $window, timeZone: $timeZone,
  timeoutSeconds: $timeoutSeconds, rankBy: $rankBy, percentile: $percentile, ago: $ago,
  filter: $filter, prefix: $prefix, probe: $probe`;

const documentOf = (
  variables: string,
  keyFields: string,
): string => `query McpTopper(${variables}) {
  ${CONTEXT_FIELD} { counterGroup(guid: $counterGroup) { topper(${ARGUMENTS}) {
    ${TOPPER_FIELDS}
    keys { ${keyFields} }
  } } }
}`;

/** Two documents, because a conditionally included field would cost the same even when left out. */
const PLAIN = documentOf(VARIABLES, `${KEY_FIELDS} rankValue`);
const COMPARED = documentOf(
  `${VARIABLES}, $previousAgo: Int`,
  `${KEY_FIELDS} rankValue ${PREVIOUS_FIELDS}`,
);

const seconds = () => integer(1, LIMITS.seriesStepSeconds);

export const topper = defineTool({
  name: 'topper',
  title: 'Rank the largest keys',
  description:
    'The largest keys (hosts, apps, networks …) of a counter group by a meter over a time window, ' +
    'exactly, with the total that they and the others add up to. Also ranks by peak, percentile, ' +
    'growth, decline and new keys, ranks networks instead of addresses, and compares each key ' +
    'with an earlier window.',
  input: z.strictObject({
    ...CONTEXT_ARGUMENTS,
    counterGroup: counterGroup(),
    meter: meter('to rank by'),
    window: windowArgument(),
    maxItems: integer(1, LIMITS.mcpItems)
      .default(LIMITS.defaultMcpItems)
      .describe('Maximum number of listed keys.'),
    rankBy: oneOf(RANKINGS)
      .default('METRIC')
      .describe(
        'METRIC: the value over the window; PEAK: the largest topper bucket; PERCENTILE: the ' +
          '`percentile` of the topper buckets; GROWTH, DECLINE: change since an earlier window; ' +
          'NEW: keys without a reading in that window.',
      ),
    percentile: number(0, 100)
      .optional()
      .describe(`Only with PERCENTILE; left out: ${DEFAULT_PERCENTILE}.`),
    ago: seconds()
      .optional()
      .describe(
        'How many seconds earlier the compared window begins (for compare, GROWTH, DECLINE, ' +
          'NEW); left out: the window just before.',
      ),
    compare: yesOrNo()
      .default(false)
      .describe('Whether to compare each key with the earlier window.'),
    filter: filterArgument(),
    prefix: prefixArgument(),
    probe: probe(),
    timeZone: timeZone(),
    timeoutSeconds: integer(1, LIMITS.timeoutSeconds)
      .optional()
      .describe('Time limit in seconds; default: that of the server.'),
  }),
  output: z.object({
    context: z.string(),
    counterGroup: groupShape,
    meter: meterShape,
    rankBy: z.enum(RANKINGS),
    percentile: z.number().optional().describe('Only with PERCENTILE.'),
    ...topperShape,
  }),
  async answer({ counterGroup: wanted, meter: measured, compare, ago, ...given }, graph) {
    const { rankBy } = given;
    const percentile = percentileOf(given);
    const isComparing = COMPARING.has(rankBy);
    if (ago !== undefined && !compare && !isComparing) {
      throw new ToolFault('ago is for compare: true or rankBy GROWTH, DECLINE or NEW');
    }
    const known = await askContext(graph, given);
    const group = findGroup(known, wanted);
    const meter = findMeter(group, measured);
    checkProbe(known, given.probe);
    const withPrevious = compare || isComparing;
    const data = await graph.ask<{ context: { counterGroup: { topper: TopperAnswer } } }>(
      withPrevious ? COMPARED : PLAIN,
      {
        ...given,
        ...contextVariables(given),
        counterGroup: group.guid,
        meter: meter.index,
        percentile,
        ...(isComparing && { ago }),
        ...(withPrevious && { previousAgo: ago }),
      },
    );
    const answered = data.context.counterGroup.topper;
    const ranked = {
      ...withoutRankValue(answered, rankBy),
      ...(withPrevious && { previousWindow: earlierWindow(answered.window, ago) }),
    };
    const structured = {
      context: known.name,
      counterGroup: groupOf(group),
      meter: meterOf(meter),
      rankBy,
      ...(percentile !== undefined && { percentile }),
      ...topperOf(ranked),
    };
    const subject = `${subjectText(group, meter)} in ${known.name}`;
    const headline = `${subject}${rankingText(structured)}`;
    return { structured, text: linesText([headline, ...topperLines(ranked, meter)]) };
  },
});

type RankingArguments = { readonly rankBy: string; readonly percentile?: number | undefined };

/** A percentile with another ranking is left for GraphQL to refuse. */
const percentileOf = ({ rankBy, percentile }: RankingArguments): number | undefined =>
  percentile ?? (rankBy === 'PERCENTILE' ? DEFAULT_PERCENTILE : undefined);

function rankingText({ rankBy, percentile }: RankingArguments): string {
  if (rankBy === 'METRIC') return '';
  const which = percentile === undefined ? '' : ` ${percentile} of the topper buckets`;
  return `, ranked by ${rankBy}${which}`;
}

/**
 * Returns the window to compare with. It does not come from a key's `previous`, because an answer
 * without keys must name it, too. null: it would begin before 1970, so there is nothing to compare.
 */
function earlierWindow({ from, to }: Interval, ago: number | undefined): Interval | null {
  const seconds = ago ?? to - from;
  return from < seconds ? null : { from: from - seconds, to: to - seconds };
}

/** Drops the rank value of the default ranking, where it only repeats the metric. */
function withoutRankValue(topper: TopperAnswer, rankBy: string): TopperAnswer {
  if (rankBy !== 'METRIC') return topper;
  return { ...topper, keys: topper.keys.map(({ rankValue: _, ...key }) => key) };
}
