import { z } from 'zod';
import { shown } from '../../domain/errors.ts';
import {
  CONTEXT_ARGUMENTS,
  CONTEXT_FIELD,
  CONTEXT_VARIABLES,
  contextVariables,
} from '../arguments/context-arguments.ts';
import { text } from '../arguments/forms.ts';
import type { Interval } from '../graph.ts';
import { meterText } from '../names/find-meter.ts';
import { type KnownGroup, type KnownMeter, noContext } from '../names/known-context.ts';
import { groupOf, groupShape, windowOf, windowShape } from '../shapes.ts';
import { linesText } from '../text/lines.ts';
import { ruleOf } from '../text/meter-rules.ts';
import { windowText } from '../text/window-text.ts';
import { defineTool } from '../tool.ts';

const DOCUMENT = `query McpGroups(${CONTEXT_VARIABLES}, $search: String) {
  ${CONTEXT_FIELD} {
    counterGroups(search: $search) {
      guid name keyKind bucketSize topperBucketSize
      timeInterval { from to }
      meters { index name description units type }
      drilldowns { guid name }
    }
  }
}`;

type Group = KnownGroup & {
  readonly timeInterval: Interval | null;
};

const meterShape = z.object({
  index: z.int(),
  name: z.string(),
  description: z.string(),
  units: z.string(),
  metric: z.string().describe('What its value over a window is.'),
});

export const listGroups = defineTool({
  name: 'list_groups',
  title: 'List counter groups and meters',
  description:
    'The counter groups of a context (hosts, apps, protocols …): what is counted, with which ' +
    'meters and units, since when, and into which groups it drills down.',
  input: z.strictObject({
    ...CONTEXT_ARGUMENTS,
    search: text('a text').optional().describe('Only groups with this text in name or GUID.'),
  }),
  output: z.object({
    context: z.string(),
    counterGroups: z.array(
      groupShape.extend({
        keyKind: z.string().describe('What its keys are: IP, PORT, TEXT …'),
        bucketSize: z.int().describe('Seconds of a bucket, the finest time resolution.'),
        topperBucketSize: z
          .int()
          .describe('Seconds of a topper bucket, the resolution of peaks and series.'),
        timeInterval: windowShape
          .nullable()
          .describe('The time range of its data; null without data.'),
        meters: z.array(meterShape),
        drilldowns: z.array(groupShape).describe('For `crosskey` of the tool drilldown.'),
      }),
    ),
  }),
  async answer({ search, ...choice }, graph) {
    const variables = { ...contextVariables(choice), search };
    const { context } = await graph.ask<{ context: { counterGroups: Group[] } | null }>(
      DOCUMENT,
      variables,
    );
    if (!context) return noContext(graph, choice.context);
    const { counterGroups } = context;
    const structured = {
      context: choice.context,
      counterGroups: counterGroups.map((group) => ({
        ...groupOf(group),
        keyKind: group.keyKind,
        bucketSize: group.bucketSize,
        topperBucketSize: group.topperBucketSize,
        timeInterval: group.timeInterval && windowOf(group.timeInterval),
        meters: group.meters.map(describedMeter),
        drilldowns: group.drilldowns.map(groupOf),
      })),
    };
    const none = search === undefined ? 'no groups' : `no groups with ${shown(search)}`;
    const lines = counterGroups.map(lineOf);
    const shownLines = lines.length > 0 ? lines : [`${choice.context} has ${none}`];
    return { structured, text: linesText(shownLines) };
  },
});

const describedMeter = ({ index, name, description, units, type }: KnownMeter) => ({
  index,
  name,
  description,
  units,
  metric: ruleOf(type),
});

function lineOf({ name, guid, keyKind, meters, drilldowns, timeInterval }: Group): string {
  const data = timeInterval ? `data from ${windowText(timeInterval)}` : 'no data';
  const measured = meters.map(meterText).join(', ');
  const below = drilldowns.map((group) => group.name).join(', ');
  const drills = below === '' ? '' : `; drills down to ${below}`;
  return `${name} ${guid}, keys ${keyKind}: meters ${measured}; ${data}${drills}`;
}
