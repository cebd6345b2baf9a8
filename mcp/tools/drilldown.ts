import { z } from 'zod';
import { shown } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  CONTEXT_ARGUMENTS,
  CONTEXT_FIELD,
  CONTEXT_VARIABLES,
  contextVariables,
} from '../arguments/context-arguments.ts';
import { integer, text } from '../arguments/forms.ts';
import { counterGroup, meter, probe } from '../arguments/group-arguments.ts';
import { timeZone, windowArgument } from '../arguments/window-argument.ts';
import { checkProbe } from '../names/check-probe.ts';
import { findDrilldown, findGroup } from '../names/find-group.ts';
import { findMeter } from '../names/find-meter.ts';
import { askContext } from '../names/known-context.ts';
import {
  groupOf,
  groupShape,
  keyOf,
  keyShape,
  keyText,
  meterOf,
  meterShape,
  type NamedKey,
  subjectText,
} from '../shapes.ts';
import { linesText } from '../text/lines.ts';
import { defineTool } from '../tool.ts';
import { ToolFault } from '../tool-fault.ts';
import {
  KEY_FIELDS,
  TOPPER_FIELDS,
  type TopperAnswer,
  topperLines,
  topperOf,
  topperShape,
} from '../topper-answer.ts';

/** Begins at the key, because a topper of its group lists it only if it has a value there. */
const DOCUMENT = `query McpDrilldown(${CONTEXT_VARIABLES}, $counterGroup: Guid!, $key: String!,
  $window: WindowInput, $timeZone: String, $probe: String,
  $crosskey: Guid!, $meter: Int!, $maxItems: Int!) {
  ${CONTEXT_FIELD} { counterGroup(guid: $counterGroup) { key(key: $key) {
    key readable label
    drilldown(
      crosskey: $crosskey, meter: $meter, maxItems: $maxItems,
      window: $window, timeZone: $timeZone, probe: $probe
    ) {
      ${TOPPER_FIELDS}
      keys { ${KEY_FIELDS} }
    }
  } } }
}`;

type Found = NamedKey & { readonly drilldown: TopperAnswer };

export const drilldown = defineTool({
  name: 'drilldown',
  title: 'Drill down into one key',
  description:
    'What one key is made of: the largest pairs of a cross-key group that contain it, such as the ' +
    'apps of a host. The total is that of the pairs of this key.',
  input: z.strictObject({
    ...CONTEXT_ARGUMENTS,
    counterGroup: counterGroup(),
    key: text('a key, raw or readable').describe('The key, raw or readable: `192.168.1.10`.'),
    crosskey: text('the name or GUID of a cross-key group')
      .optional()
      .describe(
        'Name or GUID of one of the `drilldowns` of the counter group; may be left out if ' +
          'there is only one.',
      ),
    meter: meter('of the cross-key group to rank by'),
    maxItems: integer(1, LIMITS.mcpItems)
      .default(LIMITS.defaultMcpItems)
      .describe('Maximum number of listed pairs.'),
    window: windowArgument(),
    probe: probe(),
    timeZone: timeZone(),
  }),
  output: z.object({
    context: z.string(),
    counterGroup: groupShape,
    key: z.object(keyShape),
    crosskey: groupShape,
    meter: meterShape,
    ...topperShape,
  }),
  async answer({ counterGroup: wanted, crosskey, meter: measured, key, ...given }, graph) {
    const known = await askContext(graph, given);
    const group = findGroup(known, wanted);
    const pairs = findDrilldown(known, group, crosskey);
    const meter = findMeter(pairs, measured);
    checkProbe(known, given.probe);
    const data = await graph.ask<{ context: { counterGroup: { key: Found | null } } }>(DOCUMENT, {
      ...given,
      ...contextVariables(given),
      counterGroup: group.guid,
      key,
      crosskey: pairs.guid,
      meter: meter.index,
    });
    const found = data.context.counterGroup.key;
    if (!found) {
      throw new ToolFault(`No key ${shown(key)} in ${group.name}; search_keys finds its keys`);
    }
    const structured = {
      context: known.name,
      counterGroup: groupOf(group),
      key: keyOf(found),
      crosskey: groupOf(pairs),
      meter: meterOf(meter),
      ...topperOf(found.drilldown),
    };
    const subject = `${subjectText(pairs, meter)} with ${keyText(found)} in ${known.name}`;
    return { structured, text: linesText([subject, ...topperLines(found.drilldown, meter)]) };
  },
});
